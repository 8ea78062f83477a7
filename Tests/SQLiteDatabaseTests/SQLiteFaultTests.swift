import CFaultyDisk
import Foundation
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import Synchronization
import TestDatabases
import Testing

/// The settings of the database at a path, read by another database.
func settings(_ names: [String], at path: String) async throws -> [String?] {
  let database = try await openSQLite(at: path, clock: TestClock())
  let values = try await database.read { reading in try names.map { try reading.setting($0) } }
  await database.close()
  return values
}

extension CommitOutcome {
  /// The outcome as a text: `committed`, `unknown`, or the error code.
  var word: String {
    switch self {
    case .committed: "committed"
    case .outcomeUnknown: "unknown"
    case .refused(let error as CodedError<DatabaseErrorCode>): error.code.rawValue
    case .refused(let error): "\(error)"
    }
  }
}

@Suite struct `A SQLite database that is killed` {
  @Test func `while a batch is open keeps all answered transactions, and nothing of the batch`() async throws {
    try await withFaultyDatabase { faulty async throws in
      let copied = Mutex<Result<String, any Error>?>(nil)
      try await faulty.database.commit { transaction throws in
        try transaction.set("during", to: "written")
        copied.withLock { $0 = Result { try faulty.copyOfFiles("killed") } }
      }
      let copy = try #require(try copied.withLock { $0 }?.get())
      #expect(try await settings(["before", "during"], at: copy) == ["committed", nil])
    }
  }

  @Test func `between the commit and the answer leaves the transaction whole`() async throws {
    try await withFaultyDatabase { faulty async throws in
      let copied = Mutex<Result<String, any Error>?>(nil)
      let isAnswered = Mutex(false)
      faulty.disk.afterLogSync {
        copied.withLock { copied in
          guard copied == nil else { return }
          #expect(!isAnswered.withLock { $0 })
          copied = Result { try faulty.copyOfFiles("killed") }
        }
      }
      try await faulty.database.commit { transaction throws in
        try transaction.set("first", to: "written")
        try transaction.set("second", to: "written")
      }
      isAnswered.withLock { $0 = true }
      let copy = try #require(try copied.withLock { $0 }?.get())
      #expect(
        try await settings(["before", "first", "second"], at: copy) == ["committed", "written", "written"])
    }
  }

  @Test func `loses no answered transaction, also after a power cut`() async throws {
    try await withFaultyDatabase { faulty async throws in
      for number in 1...12 {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for caller in 0..<number {
            group.addTask {
              try await faulty.database.commit { try $0.set("\(number)-\(caller)", to: "answered") }
            }
          }
          try await group.waitForAll()
        }
        let names = (0..<number).map { "\(number)-\($0)" } + ["before"]
        let found = try await settings(names, at: try faulty.leftByPowerCut("cut\(number)"))
        #expect(found.allSatisfy { $0 != nil }, "after \(number)")
      }
    }
  }
}

@Suite struct `A SQLite database with a full disk` {
  /// Runs transactions of these sizes as one batch; the size is the number of evidence rows.
  private func batch(
    _ faulty: FaultyDatabase, _ sizes: [Int], whileWaiting: () -> Void = {}
  ) async throws -> [String] {
    let gate = Gate()
    return try await withThrowingTaskGroup(of: (Int, String).self) { group in
      group.addTask {
        let outcome = await faulty.database.transact { try gate.pass(onWriterOf: $0) }
        return (-1, outcome.word)
      }
      await until { gate.reached }
      for (number, size) in sizes.enumerated() {
        group.addTask {
          let outcome = await faulty.database.transact { transaction throws in
            try transaction.set("\(number)", to: "written")
            let text = String(repeating: "e", count: 4000)
            for _ in 0..<size {
              try transaction.insert(
                Evidence(
                  payment: paymentKey("\(number)"), text: text, origin: .client, receivedAt: at(0)))
            }
          }
          return (number, outcome.word)
        }
        await until { faulty.database.waitingCount == number + 1 }
      }
      whileWaiting()
      gate.open()
      let outcomes = try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
      return sizes.indices.map { outcomes[$0] ?? "" }
    }
  }

  /// A reopened database contains exactly what the outcomes report.
  private func expectTruth(_ outcomes: [String], _ sizes: [Int], faulty: FaultyDatabase) async throws {
    let copy = try faulty.leftByPowerCut("truth")
    let names = sizes.indices.map { "\($0)" }
    let found = try await settings(names + ["before"], at: copy)
    #expect(found.last == "committed")
    for (index, outcome) in outcomes.enumerated() {
      #expect(found[index] == (outcome == "committed" ? "written" : nil), "\(index): \(outcome)")
    }
  }

  @Test func `in the middle of a batch refuses what does not fit and commits the others`() async throws {
    // A small cache, so that a large change reaches the log, and the full disk, before the COMMIT.
    try await withFaultyDatabase(change: { $0.cacheKibibytes = 64 }) { faulty async throws in
      let sizes = [1, 1, 200, 1, 200, 1]
      let outcomes = try await batch(faulty, sizes) {
        // One fault for the batch, one for each large change that is retried alone.
        faulty.disk.fail(faulty_disk_write, "-wal", after: 3, times: 1, with: faulty_disk_full)
      }
      #expect(faulty.disk.faultsLeft(faulty_disk_write) == 0)
      #expect(outcomes == Array(repeating: "committed", count: 6))
      try await expectTruth(outcomes, sizes, faulty: faulty)
    }
  }

  @Test func `for one large change refuses only that one`() async throws {
    try await withFaultyDatabase(change: { $0.cacheKibibytes = 64 }) { faulty async throws in
      let sizes = [1, 200, 1]
      let gate = Gate()
      // Every write fails from the start of the large change until it is given up.
      let outcomes = try await withThrowingTaskGroup(of: (Int, String).self) { group in
        for (number, size) in sizes.enumerated() {
          group.addTask {
            let outcome = await faulty.database.transact { transaction throws in
              try gate.pass(onWriterOf: transaction)
              if size > 1 {
                faulty.disk.fail(faulty_disk_write, "-wal", times: 1000, with: faulty_disk_full)
              }
              defer { if size > 1 { faulty.disk.heal() } }
              try transaction.set("\(number)", to: "written")
              for _ in 0..<size {
                try transaction.insert(
                  Evidence(
                    payment: paymentKey("\(number)"), text: String(repeating: "e", count: 4000),
                    origin: .client, receivedAt: at(0)))
              }
            }
            return (number, outcome.word)
          }
        }
        await until { gate.reached }
        gate.open()
        return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
      }
      #expect(outcomes == [0: "committed", 1: "store_full", 2: "committed"])
      try await expectTruth(["committed", "store_full", "committed"], sizes, faulty: faulty)
    }
  }

  @Test func `at the COMMIT of a batch retries each transaction alone`() async throws {
    try await withFaultyDatabase { faulty async throws in
      let sizes = [1, 1, 1, 1]
      let outcomes = try await batch(faulty, sizes) {
        faulty.disk.fail(faulty_disk_write, "-wal", times: 1, with: faulty_disk_full)
      }
      #expect(faulty.disk.faultsLeft(faulty_disk_write) == 0)
      #expect(outcomes == Array(repeating: "committed", count: 4))
      try await expectTruth(outcomes, sizes, faulty: faulty)
    }
  }

  @Test func `that stays full refuses all, and continues once there is room`() async throws {
    try await withFaultyDatabase { faulty async throws in
      let sizes = [1, 1, 1]
      let outcomes = try await batch(faulty, sizes) {
        faulty.disk.fail(faulty_disk_write, "-wal", times: 1_000_000, with: faulty_disk_full)
      }
      #expect(outcomes == Array(repeating: "store_full", count: 3))
      #expect(try await faulty.database.read { try $0.setting("before") } == "committed")
      faulty.disk.heal()
      try await faulty.database.commit { try $0.set("after", to: "committed") }
      try await expectTruth(outcomes, sizes, faulty: faulty)
      #expect(try await settings(["after"], at: try faulty.leftByPowerCut("healed")) == ["committed"])
    }
  }
}
