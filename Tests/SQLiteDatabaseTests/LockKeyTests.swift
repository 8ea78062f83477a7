import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import TestDoubles
import TestTier
import Testing

/// A read whose answer a write changed, with the keys of both.
private struct ChangedAnswer {
  let read: String
  let readKeys: Set<LockKey>
  let writtenKeys: Set<LockKey>

  var sharedKinds: Set<String> { Set(readKeys.intersection(writtenKeys).map(\.kind)) }
}

extension LockKey {
  /// The name of its case.
  fileprivate var kind: String { Mirror(reflecting: self).children.first?.label ?? "" }
}

/// The keys that tell whether a plan is still true.
@Suite struct `The keys of reads and writes` {
  private static let kinds: Set<String> = [
    "order", "reference", "idempotency", "user", "payment", "original", "appTransaction", "customer", "earlierList",
    "refund", "booking", "bookings", "notification", "delivery", "receipt", "reconciliation", "apiKey", "setting",
    "promotionalEntitlement", "merge",
  ]

  /// With fewer, some reads and kinds of keys are not met.
  private static let seedsForAll: UInt64 = 30

  @Test func `meet in each read whose answer a write changes, and no kind of key can be left out`() async throws {
    var needed: Set<String> = []
    var readsWithChanges: Set<String> = []
    let seeds: UInt64 = Tier.among(test: 8, check: 150, night: 500)
    for seed in 1...seeds {
      for change in try await changedAnswers(seed: seed) {
        readsWithChanges.insert(change.read)
        let shared = change.sharedKinds
        #expect(
          !shared.isEmpty,
          "seed \(seed): \(change.read) changed; read \(change.readKeys), written \(change.writtenKeys)")
        // Without this kind, the change would go unnoticed.
        if shared.count == 1 { needed.formUnion(shared) }
      }
    }
    #expect(needed.isSubset(of: Self.kinds) && needed.count >= Self.kinds.count / 2)
    #expect(needed == Self.kinds || seeds < Self.seedsForAll)
    var operations = RandomOperations(seed: 1)
    let reads = Set(operations.keyedReads().map(\.name))
    #expect(readsWithChanges.isSubset(of: reads) && readsWithChanges.count >= reads.count / 2)
    let unseen = reads.subtracting(readsWithChanges).sorted()
    #expect(unseen.isEmpty || seeds < Self.seedsForAll, "these reads must be seen with another answer: \(unseen)")
  }

  /// Writes at random, and asks everything before and after each write.
  private func changedAnswers(seed: UInt64) async throws -> [ChangedAnswer] {
    let database = InMemoryDatabase(
      InMemoryStorage(profile: .simulated, installationSecret: String(repeating: "0a", count: 32)),
      now: { Timestamp(milliseconds: 3) })
    var found: [ChangedAnswer] = []
    var chance = SplitMix64(seed: seed)
    for _ in 0..<60 {
      let step = chance.next()
      let outcome = await database.transact { transaction in
        var operations = RandomOperations(seed: step, isNarrow: true)
        let reads = (0..<2).flatMap { _ in operations.keyedReads() }
        let before = try reads.map { read in
          let recording = RecordingTransaction(planningOver: transaction, now: transaction.now)
          return (answer: try read.answer(recording), keys: Set(recording.readKeys.all))
        }
        let writing = RecordingTransaction(over: transaction)
        if operations.chance.oneIn(3) {
          try operations.performRarely(on: writing)
        } else {
          _ = try operations.perform(on: writing)
        }
        guard !writing.hasWrittenEverything else { return [ChangedAnswer]() }
        return try zip(reads, before).compactMap { read, before in
          guard try read.answer(transaction) != before.answer else { return nil }
          return ChangedAnswer(read: read.name, readKeys: before.keys, writtenKeys: Set(writing.writtenKeys.all))
        }
      }
      // A refused write changes nothing.
      if case .committed(let changes) = outcome { found += changes }
    }
    return found
  }
}
