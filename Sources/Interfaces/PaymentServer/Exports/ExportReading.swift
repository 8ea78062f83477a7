import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Reads the rows of an export from one state of a database, page by page.
struct ExportReading {
  let reader: any DatabaseReader
  let request: ExportRequest
  let page: Int

  func each(_ kind: ExportKind, _ add: (ExportRow) throws -> Void) throws {
    guard kind != .auditLog else { return try auditLog(add) }
    for place in request.appEnvironments {
      switch kind {
      case .orders: try orders(in: place, add)
      case .payments: try payments(in: place, add)
      case .refunds: try refunds(in: place, add)
      case .ledger: try ledger(in: place, add)
      case .deliveries: try deliveries(in: place, add)
      case .auditLog: break
      }
    }
  }

  private var span: Range<Timestamp> { request.span }

  /// The newest first, as lists of the API and the console are.
  private func orders(in place: AppEnvironment, _ add: (ExportRow) throws -> Void) throws {
    var query = OrderQuery(appEnvironment: place, limit: page)
    query.before = OrderPosition(createdAt: span.upperBound, id: OrderIdentifier(high: 0, low: 0))
    while true {
      let orders = try reader.orders(query)
      for order in orders where span.contains(order.createdAt) { try add(order.exported) }
      guard orders.count == page, let last = orders.last, last.createdAt >= span.lowerBound else { return }
      query.before = last.position
    }
  }

  private func payments(in place: AppEnvironment, _ add: (ExportRow) throws -> Void) throws {
    for charges in [false, true] {
      var query = PaymentQuery(appEnvironment: place, charges: charges, limit: page)
      query.boughtUntil = span.upperBound - .milliseconds(1)
      while true {
        let payments = try reader.payments(query)
        for payment in payments where span.contains(payment.facts.purchaseDate) { try add(try row(of: payment)) }
        guard payments.count == page, let last = payments.last, last.facts.purchaseDate >= span.lowerBound else {
          break
        }
        query.before = PaymentPosition(of: last)
      }
    }
  }

  private func row(of payment: Payment) throws -> ExportRow {
    let place = payment.key.appEnvironment
    let order = try payment.order.flatMap { try reader.order(OrderKey(appEnvironment: place, id: $0)) }
    // Apple states what it took back; a refund at WeChat Pay is a row of its own.
    let refunds = payment.key.store == .weChatPay ? try reader.refunds(of: payment.key) : []
    return payment.exported(order: order, grantedAt: try reader.grant(payment.key)?.grantedAt, refunds: refunds)
  }

  /// Those at WeChat Pay, then those that Apple states.
  private func refunds(in place: AppEnvironment, _ add: (ExportRow) throws -> Void) throws {
    var last: (date: Timestamp, number: String)?
    while true {
      let refunds = try reader.refunds(madeIn: span, after: last, in: place, limit: page)
      for refund in refunds { try add(refund.exported) }
      guard refunds.count == page, let end = refunds.last else { break }
      last = (end.createdAt, end.number)
    }
    var query = StatedTimeQuery(.takenBack, in: span, of: place, limit: page)
    while true {
      let payments = try reader.payments(query)
      for payment in payments where payment.key.store == .appStore {
        if let row = payment.exportedRefund { try add(row) }
      }
      guard payments.count == page, let end = payments.last else { return }
      query.last = end
    }
  }

  /// Each account from its newest movement back to its first: so every balance is proven, and not only those of the
  /// time that is asked for.
  private func ledger(in place: AppEnvironment, _ add: (ExportRow) throws -> Void) throws {
    var last = Balance(appEnvironment: place, user: "", unit: "", amount: 0)
    while true {
      let balances = try reader.balances(after: last, limit: page)
      for balance in balances where balance.appEnvironment == place { try account(balance, add) }
      guard balances.count == page, let end = balances.last, end.appEnvironment == place else { return }
      last = end
    }
  }

  private func account(_ balance: Balance, _ add: (ExportRow) throws -> Void) throws {
    var (after, number): (Int64, Int64?) = (balance.amount, nil)
    while true {
      let entries = try reader.entries(
        of: balance.user, unit: balance.unit, in: balance.appEnvironment, before: number, limit: page)
      for entry in entries {
        let change = entry.posting.balanceChanges.filter { $0.user == balance.user }.reduce(0) { $0 &+ $1.amount }
        if span.contains(entry.posting.at) { try add(entry.exported(of: balance, change: change, after: after)) }
        after &-= change
      }
      guard entries.count == page, let end = entries.last else { break }
      number = end.number
    }
    guard after == 0 else {
      throw CodedError<ExportErrorCode>(.balanceDiffers, "Its unit is \(balance.unit), the difference \(after).")
    }
  }

  private func deliveries(in place: AppEnvironment, _ add: (ExportRow) throws -> Void) throws {
    var query = DeliveryQuery(appEnvironment: place, selection: .all, limit: page)
    while true {
      let deliveries = try reader.deliveries(query)
      for delivery in deliveries where span.contains(delivery.createdAt) { try add(delivery.exported) }
      guard deliveries.count == page, let end = deliveries.last else { return }
      query.after = end.id
    }
  }

  private func auditLog(_ add: (ExportRow) throws -> Void) throws {
    let apps = Set(request.appEnvironments.map(\.app))
    var number: Int64 = 0
    while true {
      let entries = try reader.auditLog(after: number, limit: page)
      for entry in entries where span.contains(entry.at) {
        if request.hasWholeAuditLog || entry.app.map({ apps.contains($0) }) == true { try add(entry.exported) }
      }
      guard entries.count == page, let end = entries.last else { return }
      number = end.number
    }
  }
}
