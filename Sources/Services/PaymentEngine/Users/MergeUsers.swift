import CounterfoilAPI
import Cryptography
import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
import StrictJSON

/// A merge as it is recorded, and whether this call made it.
package struct MergedUser: Hashable, Sendable {
  package let merge: UserMerge
  package let isNew: Bool
}

extension PaymentEngine {
  /// Merges a user into another one, for ever, in one commit: orders, payments, grants, subscriptions and shared
  /// entitlements get the other user, and balances move by bookings (record 293).
  ///
  /// What comes for the merged user later goes to the other one. A repetition returns the recorded merge.
  /// - Throws: `mergeWithItself`, `userUnknown`, `userAlreadyMerged`, `mergeTargetMerged`, `userTooLarge`.
  package func mergeUser(
    _ user: UserIdentifier, into other: UserIdentifier, of app: AppPolicy
  ) async throws -> MergedUser {
    guard user != other else { throw CodedError<EngineErrorCode>(.mergeWithItself) }
    let rowsMax = limits.rowsPerMerge
    let merged = try await transact { transaction in
      let home = app.homeEnvironment
      if let known = try transaction.merge(of: user, in: home) {
        guard known.into == other else {
          throw CodedError<EngineErrorCode>(.userAlreadyMerged, "\(user) was merged into \(known.into).")
        }
        return MergedUser(merge: known, isNew: false)
      }
      if let taken = try transaction.merge(of: other, in: home) {
        throw CodedError<EngineErrorCode>(.mergeTargetMerged, "\(other) was merged into \(taken.into).")
      }
      for one in [user, other] { try transaction.refuseErasure(of: one, in: home) }
      guard try app.userEnvironments.contains(where: { try transaction.knows(user, in: $0) }) else {
        throw CodedError<EngineErrorCode>(.userUnknown)
      }
      var (orders, payments) = (0, 0)
      var moves: [UserMove] = []
      for appEnvironment in app.userEnvironments {
        var move = UserMove(transaction, from: user, to: other, in: appEnvironment, rowsMax: rowsMax)
        try move.run()
        orders += move.orders
        payments += move.payments
        moves.append(move)
      }
      var written: UserMerge?
      for move in moves {
        let merge = UserMerge(
          appEnvironment: move.appEnvironment, user: user, into: other, at: transaction.now, orders: orders,
          payments: payments)
        try transaction.insert(merge)
        if merge.appEnvironment == home { written = merge }
      }
      guard let written else { throw CodedError<EngineErrorCode>(.userUnknown) }
      if let making = EventMaking(app, at: transaction.now) { try transaction.tell(making.merged(written)) }
      return MergedUser(merge: written, isNew: true)
    }
    if merged.isNew {
      log(
        LogEvent(
          .info, "user.merged",
          [("app", app.id.text), ("orders", "\(merged.merge.orders)"), ("payments", "\(merged.merge.payments)")]))
    }
    return merged
  }
}

extension DatabaseReader {
  /// The user who has a user's account now: the last one of a chain of merges, mostly the user themselves.
  package func present(_ user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> UserIdentifier {
    var (present, seen) = (user, Set<UserIdentifier>())
    // Nobody is merged into a user who was merged, so a chain has an end. Rows that were changed by hand may not.
    while seen.insert(present).inserted, let merge = try merge(of: present, in: appEnvironment) {
      present = merge.into
    }
    return present
  }

  /// The users whom the postings of a payment name although its grant is another user's now, because they were merged.
  func formerUsers(of grant: Grant?, in postings: [Posting]) throws -> Set<UserIdentifier> {
    guard let grant else { return [] }
    let others = Set(postings.flatMap(\.balanceChanges).map(\.user)).subtracting([grant.user])
    return try others.filter { try present($0, in: grant.payment.appEnvironment) == grant.user }
  }

  /// Whether an app environment has anything of a user.
  func knows(_ user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> Bool {
    var query = OrderQuery(appEnvironment: appEnvironment, limit: 1)
    query.user = user
    if try !orders(query).isEmpty { return true }
    if try !balances(of: user, in: appEnvironment).isEmpty { return true }
    if try !payments(grantedTo: user, in: appEnvironment, limit: 1).isEmpty { return true }
    if try !promotionalEntitlements(of: user, in: appEnvironment, limit: 1).isEmpty { return true }
    return try !sharedEntitlements(of: user, in: appEnvironment).isEmpty
  }

  /// The same, with what a user said and what limits them.
  func hasRows(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> Bool {
    if try knows(user, in: appEnvironment) { return true }
    if try consumptionConsent(of: user, in: appEnvironment) != nil { return true }
    if try !complaints(of: user, in: appEnvironment, limit: 1).isEmpty { return true }
    return try !spendingLimits(of: user, in: appEnvironment).isEmpty
  }
}

/// Moves everything of one user to another one, in one app environment.
private struct UserMove {
  let transaction: any DatabaseTransaction
  let from: UserIdentifier
  let to: UserIdentifier
  let appEnvironment: AppEnvironment
  let rowsMax: Int
  private(set) var orders = 0
  private(set) var payments = 0

  init(
    _ transaction: any DatabaseTransaction, from: UserIdentifier, to: UserIdentifier,
    in appEnvironment: AppEnvironment, rowsMax: Int
  ) {
    self.transaction = transaction
    self.from = from
    self.to = to
    self.appEnvironment = appEnvironment
    self.rowsMax = rowsMax
  }

  mutating func run() throws {
    // Everything is read before the first write.
    var query = OrderQuery(appEnvironment: appEnvironment, limit: rowsMax + 1)
    query.user = from
    let orders = try transaction.orders(query)
    let granted = try transaction.payments(grantedTo: from, in: appEnvironment, limit: rowsMax + 1)
    guard orders.count <= rowsMax, granted.count <= rowsMax else {
      throw CodedError<EngineErrorCode>(.userTooLarge, "They have more than \(rowsMax) orders or payments.")
    }
    let given = try transaction.promotionalEntitlements(of: from, in: appEnvironment, limit: rowsMax + 1)
    guard given.count <= rowsMax else {
      throw CodedError<EngineErrorCode>(.userTooLarge, "They have more than \(rowsMax) promotional entitlements.")
    }
    let complaints = try transaction.complaints(of: from, in: appEnvironment, limit: rowsMax + 1)
    guard complaints.count <= rowsMax else {
      throw CodedError<EngineErrorCode>(.userTooLarge, "They have more than \(rowsMax) complaints.")
    }
    let keys = Set(orders.compactMap(\.state.payment) + granted.map(\.key)).sorted()
    let shared = try transaction.sharedEntitlements(of: from, in: appEnvironment)
    let balances = try transaction.balances(of: from, in: appEnvironment).filter { $0.amount != 0 }
    for order in orders { try move(order) }
    for key in keys { try move(key) }
    for original in shared { try transaction.share(original, with: to, at: transaction.now) }
    for balance in balances { try move(balance) }
    for var promotional in given {
      promotional.user = to
      try transaction.update(promotional)
    }
    // An operator must answer the user who has the order now.
    for var complaint in complaints {
      complaint.user = to
      try transaction.put(complaint)
    }
    try moveLimits()
    self.orders = orders.count
    payments = keys.count
  }

  private func move(_ order: Order) throws {
    var dropped: Reference?
    if let reference = order.reference, reference.origin == .app {
      let other = try transaction.order(referenceFromApp: reference.text, of: to, in: appEnvironment)
      dropped = other == nil ? nil : reference
    }
    try transaction.move(order, to: to, keepsReference: dropped == nil)
    // The app gave both users' orders the same number: this one's stays here.
    try transaction.insert(
      JournalEntry(
        .userMerged, in: appEnvironment, at: transaction.now, order: order.key.id, payment: nil,
        details: JSONValue.members([
          ("from", .string(from.text)), ("to", .string(to.text)), ("reference", dropped.map { .string($0.text) }),
        ]).text))
  }

  /// The rows of one payment change their user together.
  private func move(_ key: PaymentKey) throws {
    guard var payment = try transaction.payment(key) else { return }
    let before = payment
    if payment.owner == from { payment.owner = to }
    if payment.presenter == from { payment.presenter = to }
    if payment != before { try transaction.update(payment) }
    if var grant = try transaction.grant(key), grant.user == from {
      grant.user = to
      try transaction.update(grant)
    }
    if payment.order == nil {
      try transaction.journal(
        .userMerged, payment, details: ["from": .string(from.text), "to": .string(to.text)])
    }
    guard payment.facts.kind == .autoRenewable,
      var subscription = try transaction.subscription(payment.facts.originalKey)
    else { return }
    let known = subscription
    if subscription.claimant == from { subscription.claimant = to }
    if let transfer = subscription.transfer, transfer.user == from {
      subscription.transfer = Subscription.Transfer(to: to, at: transfer.at)
    }
    if subscription != known { try transaction.put(subscription) }
  }

  /// A balance moves through the account `merged`, a debt in the other direction.
  private func move(_ balance: Balance) throws {
    guard balance.amount != .min else { throw CodedError<EngineErrorCode>(.userTooLarge, "A balance is out of range.") }
    let isDebt = balance.amount < 0
    for (user, kind) in [(from, isDebt ? Booking.Kind.mergeIn : .mergeOut), (to, isDebt ? .mergeOut : .mergeIn)] {
      let digest = SHA256.hash(StableBytes.of(["merge", from.text, to.text, balance.unit.text, user.text]))
      var booking = Booking(
        appEnvironment: appEnvironment, key: "merge:" + Array(digest).hexadecimal, user: user, unit: balance.unit,
        kind: kind, amount: abs(balance.amount), requestDigest: "merge", at: transaction.now)
      booking.reason = user == from ? "merged into \(to)" : "merged from \(from)"
      try transaction.insert(booking)
    }
    // What was frozen stays frozen, unless the other user's units pay the debt.
    if balance.frozenSince != nil {
      try transaction.freezeBalance(of: to, unit: balance.unit, in: appEnvironment)
    }
  }

  /// The stricter limit stays: a merge must not free a minor of it.
  private func moveLimits() throws {
    let own = try transaction.spendingLimits(of: to, in: appEnvironment)
    for limit in try transaction.spendingLimits(of: from, in: appEnvironment) {
      guard let amount = limit.minorUnits else { continue }
      let other = own.first { $0.currency == limit.currency }?.minorUnits
      guard other.map({ amount < $0 }) ?? true else { continue }
      try transaction.put(
        SpendingLimit(
          appEnvironment: appEnvironment, user: to, currency: limit.currency, minorUnits: amount,
          setAt: transaction.now))
    }
  }
}
