import PaymentPrimitives

/// What the backend has booked of one payment, delivery after delivery.
struct WorldAccount: Hashable, Sendable {
  private(set) var holder: UserIdentifier?
  /// What it gave: units; 1 for a right.
  private(set) var parts: Int64 = 0
  /// How much of that is taken back.
  private(set) var taken: Int64 = 0
  /// The same after each change, in order.
  private(set) var totals: [Int64] = []
  /// How often somebody else got it.
  private(set) var moves = 0
  /// How often something of it came back.
  private(set) var returns = 0
  /// How often something of it was taken back, moves not counted.
  private(set) var reversals = 0
  /// What must not be.
  private(set) var problems: [String] = []

  /// By what was booked of a payment, in order.
  init(_ entries: [WorldBookEntry]) {
    for (index, entry) in entries.enumerated() {
      if entry.sequence != Int64(index + 1) { problems.append("number \(entry.sequence) came as number \(index + 1)") }
      let amount = entry.units == 0 ? 1 : entry.units
      switch entry.type {
      case "grant.created": create(amount, for: entry.user)
      case "grant.reversed": change(by: amount, of: entry.user)
      case "grant.reinstated": change(by: -amount, of: entry.user)
      default: problems.append("it was told of \(entry.type)")
      }
    }
  }

  var left: Int64 { parts - taken }

  private mutating func create(_ amount: Int64, for user: UserIdentifier) {
    guard let holder else { return (self.holder, parts) = (user, amount) }
    guard taken == parts, amount == parts, user != holder else { return problems.append("it was granted twice") }
    // It went from one to the other: what was taken back from the one was no refund.
    self.holder = user
    taken = 0
    moves += 1
    reversals -= 1
    totals.removeLast()
  }

  private mutating func change(by amount: Int64, of user: UserIdentifier) {
    guard user == holder else { return problems.append("\(user) lost or got back what he never had") }
    taken += amount
    totals.append(taken)
    if amount > 0 { reversals += 1 } else { returns += 1 }
    guard (0...parts).contains(taken) else { return problems.append("\(taken) of \(parts) were taken back") }
  }
}
