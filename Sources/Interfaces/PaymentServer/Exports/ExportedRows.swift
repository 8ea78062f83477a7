import PaymentEngine
import PaymentModel
import PaymentPrimitives

// The rows of an export, in the order of `ExportKind.columns`.

extension AppEnvironment {
  fileprivate var cells: [ExportCell] { [.text(app.text), .text(environment.rawValue)] }
}

extension Order {
  var exported: ExportRow {
    let (payment, paidAt, reason): (PaymentKey?, Timestamp?, CloseReason?) =
      switch state {
      case .awaitingPayment: (nil, nil, nil)
      case .paid(let by, let moment): (by, moment, nil)
      case .closed(let reason, _): (nil, nil, reason)
      }
    return ExportRow([
      key.appEnvironment.cells,
      [.text(store.rawValue), .text(key.id.description), .optional(reference?.text), .text(user.text)],
      [.text(product.id.text), .integer(Int64(quantity)), .text(createdAt.iso8601)],
      [.text(ReportDays.day(of: createdAt)), .text(state.name), .optional(payment?.transaction.text)],
      [.moment(paidAt), .optional(reason?.rawValue)],
    ])
  }
}

extension Payment {
  func exported(order found: Order?, grantedAt: Timestamp?, refunds: [Refund]) -> ExportRow {
    let price = facts.price
    let amount: ExportCell = if let price { .decimal(milliunits: price.milliunits) } else { .missing }
    return ExportRow(
      [
        key.appEnvironment.cells,
        [.text(key.store.rawValue), .text(key.transaction.text), .text(facts.originalTransaction.text)],
        [.optional(order?.description), .optional(key.store == .weChatPay ? order?.outTradeNo : nil)],
        [.optional(found?.reference?.text), .optional(owner?.text), .optional(found?.product.id.text)],
        [.text(facts.storeProduct.text), .integer(Int64(facts.quantity)), .text(facts.ownership.word)],
        [.number(price?.milliunits), amount],
        [.optional(price?.currency), .optional(facts.storefront), .text(facts.purchaseDate.iso8601)],
        [.text(ReportDays.day(of: facts.purchaseDate)), .moment(grantedAt), .text(state.name)],
        [.optional(state.reason), .optional(match?.rule.rawValue)], refunded(refunds),
        [.optional(facts.offer?.type), .optional(facts.offer?.id)],
      ], amount: price.map { ($0.currency, $0.milliunits) })
  }

  /// What was given back in all, and when last.
  private func refunded(_ refunds: [Refund]) -> [ExportCell] {
    guard key.store == .weChatPay else {
      return [.number(moneyBack()?.minorUnits), .moment(facts.revocation?.date)]
    }
    var (sum, last): (Int64, Timestamp?) = (0, nil)
    for refund in refunds {
      guard case .done(let moment) = refund.state else { continue }
      sum &+= refund.amount.minorUnits
      last = max(last ?? moment, moment)
    }
    return [.number(last == nil ? nil : sum), .moment(last)]
  }

  /// The refund that Apple states; nil if it states none.
  var exportedRefund: ExportRow? {
    guard let revocation = facts.revocation else { return nil }
    let (amount, whole) = (moneyBack(), facts.price?.money(thousandthsOfPercent: 100_000))
    let reason = revocation.type ?? revocation.reason.map { "\($0)" }
    return ExportRow(
      [
        key.appEnvironment.cells,
        [.text(key.store.rawValue), .missing, .missing, .text(key.transaction.text), .optional(order?.description)],
        Money.cells(amount, of: whole),
        [.text(revocation.date.iso8601), .text(ReportDays.day(of: revocation.date)), .text("done")],
        [.text(revocation.date.iso8601), .optional(reason)],
      ], amount: amount.map { ($0.currency.code, $0.minorUnits) })
  }
}

extension Money {
  fileprivate static func cells(_ amount: Money?, of whole: Money?) -> [ExportCell] {
    let text: ExportCell =
      if let amount { .decimal(amount.minorUnits, digits: amount.currency.minorUnitDigits) } else { .missing }
    return [
      .number(amount?.minorUnits), text, .number(whole?.minorUnits), .optional((amount ?? whole)?.currency.code),
    ]
  }
}

extension Ownership {
  fileprivate var word: String {
    switch self {
    case .purchased: "purchased"
    case .familyShared: "familyShared"
    case .assigned: "assigned"
    case .unknown(let text): text
    }
  }
}

extension Refund {
  var exported: ExportRow {
    let doneAt: Timestamp? = if case .done(let moment) = state { moment } else { nil }
    // A refund that failed gave nothing back.
    let counted: (unit: String, value: Int64)? = state.counts ? (amount.currency.code, amount.minorUnits) : nil
    return ExportRow(
      [
        appEnvironment.cells,
        [.text(payment.store.rawValue), .text(number), .optional(storeNumber), .text(payment.transaction.text)],
        [.optional(order?.description)], Money.cells(amount, of: total),
        [.text(createdAt.iso8601), .text(ReportDays.day(of: createdAt)), .text(state.name)],
        [.moment(doneAt), .optional(reason)],
      ], amount: counted)
  }
}

extension LedgerEntry {
  func exported(of balance: Balance, change: Int64, after: Int64) -> ExportRow {
    let payment: PaymentKey? = if case .payment(let key, _) = posting.source { key } else { nil }
    return ExportRow(
      [
        balance.appEnvironment.cells, [.text(balance.user.text), .text(balance.unit.text), .integer(number)],
        [.text(posting.debit.text), .text(posting.credit.text), .integer(posting.amount)],
        [.integer(change), .integer(after), .text(posting.cause)],
        [.optional(payment?.store.rawValue), .optional(payment?.transaction.text), .optional(booking?.key)],
        [.text(posting.at.iso8601), .text(ReportDays.day(of: posting.at))],
      ], amount: (balance.unit.text, change))
  }
}

extension Delivery {
  var exported: ExportRow {
    let (word, acknowledgedAt): (String, Timestamp?) =
      switch state {
      case .pending: ("pending", nil)
      case .acknowledged(let moment): ("acknowledged", moment)
      case .parked: ("parked", nil)
      }
    return ExportRow([
      payment.appEnvironment.cells,
      [.text(id.text), .text(payment.store.rawValue), .text(payment.transaction.text)],
      [.optional(order?.description), .text(kind.type), .integer(Int64(sequence)), .text(word)],
      [.integer(Int64(attempts)), .text(createdAt.iso8601), .text(ReportDays.day(of: createdAt))],
      [.moment(acknowledgedAt), .optional(lastProblem)],
    ])
  }
}

extension AuditLogEntry {
  var exported: ExportRow {
    ExportRow([
      [.integer(number), .text(at.iso8601), .text(ReportDays.day(of: at)), .optional(app?.text)],
      [.optional(environment?.rawValue), .text(actorKind.rawValue), .text(actor), .optional(role?.rawValue)],
      [.optional(address), .text(action), .optional(objectKind), .optional(object), .optional(reason)],
      [.optional(requestId), .text(outcome.rawValue), .optional(problem), .text(actionKey)],
      [.text(previous.hexadecimal), .text(hash.hexadecimal), .optional(redactedBy?.text)],
    ])
  }
}
