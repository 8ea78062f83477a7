import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

/// What a user spent in the present month of what they may spend, in one currency.
package struct Spending: Hashable, Sendable {
  package let limit: SpendingLimit
  /// In the smallest unit of the currency: what was paid and not given back, and what open orders ask for.
  package let spent: Int64
  /// The month's first moment (UTC).
  package let since: Timestamp

  /// What is left; nil if nothing limits the user any more.
  package var left: Int64? { limit.minorUnits.map { max(0, $0 - spent) } }
}

extension PaymentEngine {
  /// Sets what a user may spend in a calendar month (UTC), or lifts that limit.
  ///
  /// - Parameter minorUnits: in the smallest unit of the currency; nil lifts the limit.
  package func setSpendingLimit(
    _ minorUnits: Int64?, _ currency: CurrencyCode, of user: UserIdentifier, in app: AppPolicy
  ) async throws -> Spending {
    let home = app.homeEnvironment
    return try await transact { transaction in
      let present = try transaction.present(user, in: home)
      let count = SpendingCount(reader: transaction, user: present, appEnvironment: home, now: transaction.now)
      let spent = try count.spent(in: currency)
      let limit = SpendingLimit(
        appEnvironment: home, user: present, currency: currency, minorUnits: minorUnits, setAt: transaction.now)
      let known = try transaction.spendingLimits(of: present, in: home).first { $0.currency == currency }
      // A repetition changes nothing, also not the moment.
      if let known, known.minorUnits == minorUnits {
        return Spending(limit: known, spent: spent, since: count.monthBegin)
      }
      try transaction.put(limit)
      return Spending(limit: limit, spent: spent, since: count.monthBegin)
    }
  }

  /// What a user spent in the present month, for each limit of theirs.
  package func readSpending(of user: UserIdentifier, in app: AppPolicy) async throws -> [Spending] {
    let (home, now) = (app.homeEnvironment, now)
    return try await read { reader in
      let present = try reader.present(user, in: home)
      let count = SpendingCount(reader: reader, user: present, appEnvironment: home, now: now)
      return try reader.spendingLimits(of: present, in: home).map {
        Spending(limit: $0, spent: try count.spent(in: $0.currency), since: count.monthBegin)
      }
    }
  }

  /// Refuses an order that would pass what its user may spend in the month.
  ///
  /// It runs in the transaction of the order, after the user's rows are read: of several orders at once, each sees
  /// what the others have left.
  static func checkSpending(of order: Order, in transaction: any DatabaseTransaction) throws {
    let limits = try transaction.spendingLimits(of: order.user, in: order.key.appEnvironment)
    for limit in limits {
      guard let most = limit.minorUnits else { continue }
      let count = SpendingCount(
        reader: transaction, user: order.user, appEnvironment: order.key.appEnvironment, now: transaction.now)
      let spent = try count.spent(in: limit.currency)
      // Only the store knows the price of an order in its own currency: it is refused once nothing is left.
      let asked = max(1, SpendingCount.asked(by: order, in: limit.currency))
      let (total, overflows) = spent.addingReportingOverflow(asked)
      guard !overflows, total <= most else {
        throw CodedError<EngineErrorCode>(
          .spendingLimitReached,
          "\(max(0, most - spent)) of \(most) \(limit.currency) are left for this user in this month (UTC)."
        )
      }
    }
  }
}

/// Counts what a user spent in the month of a moment.
struct SpendingCount {
  /// More purchases of one month than anybody counts: beyond them nothing is left.
  private static let paymentsMax = 1000

  let reader: any DatabaseReader
  let user: UserIdentifier
  let appEnvironment: AppEnvironment
  let now: Timestamp

  /// Midnight of the first day of the month, UTC.
  var monthBegin: Timestamp {
    let month = now.iso8601.prefix(7)
    return Timestamp(iso8601: "\(month)-01T00:00:00Z") ?? now
  }

  /// Whole minor units of the currency: paid and not given back, and asked for by open orders.
  func spent(in currency: CurrencyCode) throws -> Int64 {
    let begin = monthBegin
    let payments = try reader.payments(grantedTo: user, in: appEnvironment, limit: Self.paymentsMax)
    var sum: Int64 = 0
    func add(_ amount: Int64) {
      let (more, overflows) = sum.addingReportingOverflow(amount)
      sum = overflows ? .max : more
    }
    for payment in payments where payment.facts.purchaseDate >= begin { add(try paid(by: payment, in: currency)) }
    if payments.count == Self.paymentsMax, let last = payments.last, last.facts.purchaseDate >= begin { add(.max) }
    for order in try reader.openOrders(of: user, in: appEnvironment) { add(Self.asked(by: order, in: currency)) }
    return sum
  }

  /// What a payment cost, less what was given back.
  private func paid(by payment: Payment, in currency: CurrencyCode) throws -> Int64 {
    let facts = payment.facts
    guard facts.ownership == .purchased, let price = facts.price else { return 0 }
    if facts.key.store.opensOrders {
      guard let money = price.money(thousandthsOfPercent: 100_000), money.currency == currency else { return 0 }
      let back = try reader.refundsDone(of: payment).reduce(Int64(0)) { $0 + $1.amount.minorUnits }
      return max(0, money.minorUnits - back)
    }
    // Apple states the price of one piece.
    let back = facts.revocation.map { $0.type == "FAMILY_REVOKE" ? 0 : $0.percentage ?? 100_000 } ?? 0
    let kept = 100_000 - min(max(back, 0), 100_000)
    guard let money = price.money(thousandthsOfPercent: kept), money.currency == currency else { return 0 }
    let (total, overflows) = money.minorUnits.multipliedReportingOverflow(by: Int64(facts.quantity))
    return overflows ? .max : total
  }

  /// What an open order asks for, as far as it is known: our own price. The same product costs about as much in the
  /// App Store, which states its price only with the payment.
  static func asked(by order: Order, in currency: CurrencyCode) -> Int64 {
    guard let price = order.product.weChatPrice, price.currency == currency else { return 0 }
    let (total, overflows) = price.minorUnits.multipliedReportingOverflow(by: Int64(order.quantity))
    return overflows ? .max : total
  }
}
