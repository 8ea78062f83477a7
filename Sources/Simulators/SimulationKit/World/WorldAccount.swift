import PaymentPrimitives

/// The backend's bookings of one payment, in order of their deliveries.
struct WorldAccount: Hashable, Sendable {
  private(set) var holder: UserIdentifier?
  /// The granted amount: units; 1 for an entitlement.
  private(set) var parts: Int64 = 0
  /// The reversed part of that amount.
  private(set) var taken: Int64 = 0
  /// The reversed part after each change, in order.
  private(set) var totals: [Int64] = []
  /// How often the grant moved to another user.
  private(set) var moves = 0
  /// How often some of it was reinstated.
  private(set) var returns = 0
  /// How often some of it was reversed, without moves.
  private(set) var reversals = 0
  /// Violated rules.
  private(set) var problems: [String] = []

  /// Computes the account from the bookings of a payment, in order.
  ///
  /// - Parameter afterMerges: whether two users of the entries may be one by now.
  init(_ entries: [WorldBookEntry], afterMerges: Bool = false) {
    for (index, entry) in entries.enumerated() {
      if entry.sequence != Int64(index + 1) { problems.append("number \(entry.sequence) came as number \(index + 1)") }
      let amount = entry.units == 0 ? 1 : entry.units
      switch entry.type {
      case "grant.created": create(amount, for: entry.user, afterMerges: afterMerges)
      case "grant.reversed": change(by: amount, of: entry.user)
      case "grant.reinstated": change(by: -amount, of: entry.user)
      default: problems.append("it was told of \(entry.type)")
      }
    }
  }

  var left: Int64 { parts - taken }

  private mutating func create(_ amount: Int64, for user: UserIdentifier, afterMerges: Bool) {
    guard let holder else { return (self.holder, parts) = (user, amount) }
    guard taken == parts, amount == parts, user != holder || afterMerges else {
      return problems.append("it was granted twice")
    }
    // The grant moved from one user to another: the reversal for the first user was no refund.
    self.holder = user
    taken = 0
    moves += 1
    reversals -= 1
    totals.removeLast()
  }

  private mutating func change(by amount: Int64, of user: UserIdentifier) {
    guard user == holder else { return problems.append("\(user) lost or got back what they never had") }
    taken += amount
    totals.append(taken)
    if amount > 0 { reversals += 1 } else { returns += 1 }
    guard (0...parts).contains(taken) else { return problems.append("\(taken) of \(parts) were taken back") }
  }
}
