import PaymentPrimitives

/// On which database a world runs, and when its disk is full. It is drawn apart, so that it changes nothing of what
/// else happens.
struct DatabasePlan: Hashable, Sendable {
  var kind = WorldDatabaseKind.reference
  /// When the disk is full, counted from the beginning; empty where it never is.
  var full = TimeSpan.zero..<TimeSpan.zero

  /// The obvious one, with room for everything.
  init() {}

  init(seed: UInt64, _ hazards: Set<WorldHazard>) {
    var chance = SeededChance(seed: seed, purpose: "plan of the database")
    if hazards.contains(.sqlite), chance.happens(perMille: 500) {
      kind = .sqlite(batchMax: chance.pick([1, 2, 16]) ?? 1)
    }
    guard hazards.contains(.fullDisk), chance.happens(perMille: 150) else { return }
    let from = 60 + Int64(chance.number(below: 900))
    full = .seconds(from)..<(.seconds(from + 5 + Int64(chance.number(below: 180))))
  }
}

/// What the servers of a world keep their rows in.
package enum WorldDatabaseKind: Hashable, Sendable {
  /// The store that gives the obvious answers.
  case reference
  /// SQLite itself, in memory, with at most so many transactions in a batch.
  case sqlite(batchMax: Int)
}
