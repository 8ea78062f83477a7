import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// The steps of an erasure in one app environment.
struct ErasureWork {
  let engine: PaymentEngine
  let erasure: UserErasure
  let appEnvironment: AppEnvironment

  /// Gives the user's orders, payments and bookings to the alias, in one commit, as a merge does: a payment and its
  /// order belong to one user after each commit.
  ///
  /// - Returns: whether there was anything.
  func renameOwn() async throws -> Bool {
    let (alias, app, appEnvironment) = (erasure.alias, erasure.app, appEnvironment)
    return try await engine.transact { transaction in
      guard var current = try transaction.erasure(as: alias, of: app),
        let renaming = try transaction.renaming(of: current, in: appEnvironment)
      else { return false }
      let done = try transaction.rename(renaming, limit: Int(Int32.max))
      guard !done.isEmpty else { return false }
      try Self.check(done.payments, transaction)
      current.orders += done.orders
      current.payments += done.payments.count
      try transaction.update(current)
      return true
    }
  }

  /// Replaces the user's name in rows of others: a payment that they presented, a claim, an entry of the journal. All
  /// of the app environment is read once, a part at a time.
  func renameWhereNamed() async throws {
    let (alias, app, appEnvironment) = (erasure.alias, erasure.app, appEnvironment)
    let names = try await engine.read { reader in
      try reader.erasure(as: alias, of: app).flatMap { try reader.renaming(of: $0, in: appEnvironment) }?.names ?? []
    }
    let count = engine.limits.rowsPerErasureRead
    for name in names {
      for table in NamingTable.allCases {
        var (number, hasMore): (Int64, Bool) = (0, true)
        while hasMore {
          let start = number
          let found = try await engine.read { reader in
            try reader.rows(
              naming: name, writtenAs: PersonalText.written(name), in: table, of: appEnvironment, after: start,
              count: count)
          }
          try await rename(found)
          number += Int64(count)
          hasMore = found.hasMore
        }
      }
    }
  }

  private func rename(_ found: NamingRows) async throws {
    let limit = engine.limits.rowsPerErasureStep
    for start in stride(from: 0, to: max(found.payments.count, found.entries.count), by: limit) {
      var part = NamingRows()
      part.payments = Array(found.payments.dropFirst(start).prefix(limit))
      part.entries = Array(found.entries.dropFirst(start).prefix(limit))
      let (step, alias, app, appEnvironment) = (part, erasure.alias, erasure.app, appEnvironment)
      try await engine.transact { transaction in
        guard let current = try transaction.erasure(as: alias, of: app),
          let renaming = try transaction.renaming(of: current, in: appEnvironment)
        else { return }
        try transaction.rename(renaming, in: step)
        try Self.check(step.payments, transaction)
      }
    }
  }

  /// The rules of money, on the rows that the commit changes.
  private static func check(_ payments: [PaymentKey], _ reader: any DatabaseReader) throws {
    for key in payments {
      guard let payment = try reader.payment(key) else { continue }
      let violations = try PaymentRows(of: payment, in: reader).violations
      guard violations.isEmpty else { throw InvariantBroken(violations: violations) }
    }
  }
}

/// What keeps a user from being erased, because money is still open.
struct OpenMatters {
  let reader: any DatabaseReader
  let user: UserIdentifier
  let appEnvironment: AppEnvironment
  let now: Timestamp

  /// More payments of one user than anybody has.
  private static let paymentsMax = 100_000

  /// Words of the answer: `openOrders`, `deliveries`, `refunds`, `questions`, `complaints`, `debt`, `subscription`.
  func found(isForced: Bool) throws -> [String] {
    var found: [String] = []
    if try !reader.openOrders(of: user, in: appEnvironment).isEmpty { found.append("openOrders") }
    for payment in try reader.payments(grantedTo: user, in: appEnvironment, limit: Self.paymentsMax) {
      found += try open(payment, isForced: isForced)
    }
    if try reader.complaints(of: user, in: appEnvironment, limit: Self.paymentsMax).contains(where: \.isOpen) {
      found.append("complaints")
    }
    if !isForced, try reader.balances(of: user, in: appEnvironment).contains(where: { $0.amount < 0 }) {
      found.append("debt")
    }
    return found
  }

  private func open(_ payment: Payment, isForced: Bool) throws -> [String] {
    var found: [String] = []
    if try reader.deliveries(of: payment.key).contains(where: { $0.state == .pending }) { found.append("deliveries") }
    let refunds = try reader.refunds(of: payment.key)
    if refunds.contains(where: { $0.nextQuestionAt != nil }) { found.append("refunds") }
    if try reader.appStoreTask(.consumption, about: payment.key) != nil { found.append("questions") }
    if !isForced, let end = payment.facts.expiresDate, end > now, payment.facts.revocation == nil,
      try reader.subscription(payment.facts.originalKey)?.renewal?.willRenew == true
    {
      found.append("subscription")
    }
    return found
  }
}
