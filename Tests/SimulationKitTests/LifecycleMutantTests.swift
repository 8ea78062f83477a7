import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SimulationKit
import Testing

/// Breaks a rule about events after a purchase. It changes rows in the transaction that wrote them, so that every
/// reader of the server sees them.
private struct TamperingDatabase: PaymentDatabase {
  let inner: any PaymentDatabase
  let tamper: @Sendable (any PaymentStoreTransaction) throws -> Void

  func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any PaymentStoreTransaction) throws -> Value
  ) async -> CommitOutcome<Value> {
    await inner.transact { [tamper] transaction in
      let value = try body(transaction)
      try tamper(transaction)
      return value
    }
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    try await inner.read(body)
  }
}

extension Mutant {
  fileprivate init(
    _ what: String, likelySeed: UInt64 = 1,
    _ tamper: @escaping @Sendable (any PaymentStoreTransaction, Payment, Grant) throws -> Void
  ) {
    self.init(testDescription: what, likelySeed: likelySeed) { substitutions in
      substitutions.database = { inner in
        TamperingDatabase(inner: inner) { transaction in
          for payment in try transaction.payments(after: nil, limit: 1000) {
            if let grant = try transaction.grant(payment.key) { try tamper(transaction, payment, grant) }
          }
        }
      }
    }
  }

  static let aftermath: [Mutant] = [
    Mutant("a renewal that goes to another user") { transaction, payment, grant in
      guard payment.facts.kind == .autoRenewable, payment.key.transaction != payment.facts.originalTransaction,
        grant.user != "mallory"
      else { return }
      var stolen = grant
      stolen.user = "mallory"
      try transaction.update(stolen)
    },
    Mutant("a part of a refund that is taken twice", likelySeed: 2) { transaction, payment, grant in
      guard case .units(let unit, _) = grant.content, grant.takenBack > 0 else { return }
      let cause = "reversal:again"
      guard try !transaction.postings(of: payment.key).contains(where: { $0.cause == cause }) else { return }
      try transaction.insert(
        Posting(
          appEnvironment: payment.key.appEnvironment, unit: unit, debit: .user(grant.user), credit: .issued(.appStore),
          amount: 1,
          payment: payment.key, cause: cause, at: transaction.now))
    },
    Mutant("a right that does not end with its period") { transaction, payment, grant in
      guard payment.facts.kind == .autoRenewable, case .entitlement(let name, let from, let until?) = grant.content,
        until < transaction.now + .days(365)
      else { return }
      var endless = grant
      endless.content = .entitlement(name, from: from, until: until + .days(3650))
      try transaction.update(endless)
    },
    Mutant("units that move with a restore") { transaction, payment, grant in
      guard case .units = grant.content, grant.user != "mallory" else { return }
      var moved = grant
      moved.user = "mallory"
      try transaction.update(moved)
      try transaction.insert(
        GrantChange(
          payment: payment.key, kind: .transfer, cause: "restore:1", amount: grant.parts, at: transaction.now))
    },
    Mutant("a debit that happens twice", likelySeed: 8) { transaction, _, _ in
      for number in 0..<7 {
        let key = "spending \(number)"
        guard let first = try transaction.booking(key, in: AppEnvironment(app: "shop", environment: .simulated)),
          try transaction.booking(key + " again", in: first.appEnvironment) == nil
        else { continue }
        try transaction.insert(
          Booking(
            appEnvironment: first.appEnvironment, key: key + " again", user: first.user, unit: first.unit, kind: .debit,
            amount: first.amount, requestDigest: first.requestDigest, at: transaction.now))
      }
    },
  ]
}

@Suite struct `The oracle of events after a purchase` {
  @Test(arguments: Mutant.aftermath)
  func `detects a broken rule within 60 seeds, beside what the audit finds`(fault: Mutant) {
    var substitutions = Substitutions()
    fault.plant(&substitutions)
    let planted = substitutions
    // Its likely world first: each of those before it would cost a second.
    let seeds = [fault.likelySeed] + (1...60)
    let caught = seeds.lazy.map { PaymentWorld.run(seed: $0, substitutions: planted) }
      .first { report in report.problems.contains { !$0.hasPrefix("the audit finds") } }
    #expect(caught != nil)
  }
}
