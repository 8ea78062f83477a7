import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import TestDatabases
import TestDoubles
import TestTier
import Testing

@Suite struct `A database beside the reference database` {
  /// The databases that are compared with the reference.
  private static let others: [DatabaseKind] = [.sqlite] + (PostgreSQLServer.isPresent ? [.postgreSQL] : [])

  @Test(arguments: [UInt64](1...Tier.among(test: 3, check: 24, night: 500)), others)
  func `gives the same answers to random reads and writes`(seed: UInt64, kind: DatabaseKind) async throws {
    try await withDatabase(.reference) { reference, _ in
      try await withDatabase(kind) { database, underTest async throws in
        var chance = SplitMix64(seed: seed)
        for _ in 0..<50 {
          let (step, count) = (chance.next(), 1 + chance.number(below: 4))
          let expected = await Self.outcome(reference, step, count: count)
          let actual = await Self.outcome(database, step, count: count)
          guard Self.agree(kind.sayable(actual), kind.sayable(expected), what: "a transaction", step: step) else {
            return
          }
          let question = chance.next()
          let expectedAnswer = try await Self.answer(reference, question)
          let answer = try await Self.answer(database, question)
          guard Self.agree(kind.sayable(answer), kind.sayable(expectedAnswer), what: "a question", step: question)
          else { return }
        }
        let everything = try await reference.read { try Self.everything($0) }
        let reopened = try await underTest.reopen()
        #expect(try await reopened.read { try Self.everything($0) } == everything)
        #expect(everything.count > 10, "the seed must leave rows to compare")
      }
    }
  }

  /// Shows the first lines that differ; two whole databases would hide them.
  private static func agree(
    _ actual: String, _ expected: String, what: Comment, step: UInt64
  ) -> Bool {
    guard actual != expected else { return true }
    let pairs = zip(actual.split(separator: "\n"), expected.split(separator: "\n"))
    let difference = pairs.first { $0 != $1 }
    Issue.record("\(what) of step \(step): \(String(describing: difference))")
    return false
  }

  private static func outcome(_ database: any PaymentDatabase, _ step: UInt64, count: Int) async -> String {
    let outcome = await database.transact { transaction in
      var operations = RandomOperations(seed: step)
      return try (0..<count).map { _ in try operations.perform(on: transaction) }
    }
    switch outcome {
    case .committed(let answers): return answers.joined(separator: "\n")
    case .outcomeUnknown: return "unknown"
    case .refused(let error as CodedError<DatabaseErrorCode>): return "refused \(error.code)"
    case .refused(let error): return "refused \(error)"
    }
  }

  private static func answer(_ database: any PaymentDatabase, _ step: UInt64) async throws -> String {
    try await database.read { reading throws in
      var operations = RandomOperations(seed: step)
      return try operations.ask(reading)
    }
  }

  /// All orders, payments with their rows, and balances, page by page.
  private static func everything(_ reading: any DatabaseReader) throws -> [String] {
    var found: [String] = []
    var orders = try reading.orders(after: nil, limit: 2)
    while let last = orders.last {
      for order in orders {
        found.append(rendering(order))
        found.append(rendering(try reading.journal(of: order.key)))
      }
      orders = try reading.orders(after: last.key, limit: 2)
    }
    var payments = try reading.payments(after: nil, limit: 2)
    while let last = payments.last {
      for payment in payments {
        found.append(rendering(payment))
        found.append(rendering(try reading.evidence(of: payment.key)))
        found.append(rendering(try reading.grant(payment.key)))
        found.append(rendering(try reading.changes(of: payment.key)))
        found.append(rendering(try reading.postings(of: payment.key)))
        found.append(rendering(try reading.deliveries(of: payment.key)))
      }
      payments = try reading.payments(after: last.key, limit: 2)
    }
    var balances = try reading.balances(after: nil, limit: 2)
    while let last = balances.last {
      found += balances.map { rendering($0) }
      balances = try reading.balances(after: last, limit: 2)
    }
    return found
  }
}

extension DatabaseKind {
  /// An answer without what databases may number differently: PostgreSQL never gives a number again, so a transaction
  /// that was rolled back leaves a gap between entries of the ledger.
  fileprivate func sayable(_ answer: String) -> String {
    self == .postgreSQL ? answer.replacing(/LedgerEntry\(number=[0-9]+/, with: "LedgerEntry(number=…") : answer
  }
}
