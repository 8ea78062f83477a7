import PaymentPrimitives

/// The database of a world, and the time in which its disk is full. The plan has its own random stream, so it changes
/// nothing else in the world.
struct DatabasePlan: Hashable, Sendable {
  var kind = WorldDatabaseKind.reference
  /// When the disk is full, counted from the beginning of the world; empty: never.
  var full = TimeSpan.zero..<TimeSpan.zero

  /// The reference database, with unlimited disk space.
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

/// The kind of database that the servers of a world use.
package enum WorldDatabaseKind: Hashable, Sendable {
  /// The in-memory reference implementation.
  case reference
  /// Real SQLite, in memory, with at most this many transactions in a batch.
  case sqlite(batchMax: Int)
  /// A model of PostgreSQL with a standby, for several nodes.
  case nodes

  /// Whether a full disk must be planted; SQLite notices its own.
  var isInMemory: Bool {
    switch self {
    case .reference, .nodes: true
    case .sqlite: false
    }
  }
}
