import PaymentPrimitives
import SimulationKit
import TestTier
import Testing

/// Half of the worlds run on SQLite itself.
@Suite struct `A world on SQLite` {
  private static let count: UInt64 = Tier.among(test: 4, check: 20, night: 200)

  private func world(_ seed: UInt64, on kind: WorldDatabaseKind) -> WorldReport {
    var substitutions = Substitutions()
    substitutions.databaseKind = kind
    // On a full disk only SQLite may still store a row in an existing page, so the two may differ.
    substitutions.hazards.remove(.fullDisk)
    return PaymentWorld.run(seed: seed, substitutions: substitutions)
  }

  @Test func `takes the same steps as on the in-memory database, if the faults are the same`() async {
    let onReference = await runWorlds(1...Self.count) { world($0, on: .reference) }
    let onSQLite = await runWorlds(1...Self.count) { world($0, on: .sqlite(batchMax: 1)) }
    for (reference, sqlite) in zip(onReference, onSQLite) {
      #expect(reference.trace == sqlite.trace && reference.steps == sqlite.steps, "seed \(reference.seed)")
    }
    #expect(onSQLite.allSatisfy { $0.problems == [] && $0.marks[.onSQLite] != nil })
    #expect(onReference.allSatisfy { $0.marks[.onSQLite] == nil })
  }

  @Test func `takes other steps if many transactions share a COMMIT, and keeps the promise, too`() async {
    let count: UInt64 = Tier.among(test: 2, check: 4, night: 20)
    let alone = await runWorlds(1...count) { world($0, on: .sqlite(batchMax: 1)) }
    let shared = await runWorlds(1...count) { world($0, on: .sqlite(batchMax: 16)) }
    #expect(shared.flatMap(\.problems) == [])
    #expect(zip(alone, shared).contains { $0.trace != $1.trace })
  }
}
