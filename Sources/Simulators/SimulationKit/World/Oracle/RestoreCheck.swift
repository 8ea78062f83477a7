import AppStoreSimulator
import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Checks what restores have moved or shared.
struct RestoreCheck: WorldCheck {
  let records: WorldRecords

  /// Checks the moves by restores. The app's policy must allow each move, between users of the same Apple account, and
  /// at most once a day. Units never move.
  func run() async throws {
    let policy = context.plan.aftermath.restore
    let rows = try await database.read { database in
      try database.payments(after: nil, limit: 10_000).compactMap { payment -> (Payment, Grant, [GrantChange])? in
        guard payment.key.appEnvironment == context.appEnvironment, let grant = try database.grant(payment.key) else {
          return nil
        }
        return (payment, grant, try database.changes(of: payment.key).filter { $0.kind == .transfer })
      }
    }
    let owners = Dictionary(records.transactions.map { ($0.originalId, $0.owner.account.text) }) { first, _ in first }
    var moments: [TransactionIdentifier: Set<Timestamp>] = [:]
    for (payment, grant, moves) in rows {
      let (id, original) = (payment.key.transaction, payment.facts.originalTransaction)
      if records.bookings[id]?.moves != moves.count {
        events.reportViolation(
          "\(id) has moved \(moves.count) times, and the backend was told of \(records.bookings[id]?.moves ?? 0)")
      }
      guard !moves.isEmpty else { continue }
      moments[payment.facts.kind == .autoRenewable ? original : id, default: []].formUnion(moves.map(\.at))
      if case .units = grant.content { events.reportViolation("the units of \(id) have moved") }
      if policy != .transfer { events.reportViolation("\(id) has moved, and the policy is \(policy.rawValue)") }
      let mayHave = owners[original].map { records.users(of: $0) } ?? []
      if !mayHave.contains(grant.user) {
        events.reportViolation("\(id) has moved to \(grant.user), who is on no phone of it")
      }
      let asked = records.phones.flatMap(\.restores).filter { $0.account == owners[original] }
      for moment in moves.map(\.at) where !asked.contains(where: { $0.from <= moment }) {
        events.reportViolation("\(id) has moved, and no user had asked to restore it")
      }
      if !asked.contains(where: { $0.user == grant.user }) {
        events.reportViolation("\(id) has moved to \(grant.user), who never asked to restore it")
      }
      events.mark(.restoreTransferred)
    }
    for (id, moments) in moments.sorted(by: { $0.key < $1.key }) {
      for (one, next) in zip(moments.sorted(), moments.sorted().dropFirst()) where next - one < .days(1) {
        events.reportViolation("\(id) has moved twice within a day")
      }
    }
    try await checkShares(owners)
    if policy == .keepOwner { noteKept(rows.map { ($0.1, owners[$0.0.facts.originalTransaction]) }) }
  }

  private func checkShares(_ accounts: [TransactionIdentifier: String]) async throws {
    for user in Set(records.phones.flatMap(\.users)).sorted() {
      for right in try await database.read({ try $0.sharedEntitlements(of: user, in: context.appEnvironment) }) {
        events.mark(.restoreShared)
        if context.plan.aftermath.restore != .share {
          events.reportViolation("\(right.transaction) is shared against the policy")
        }
        let hasAsked = records.phones.flatMap(\.restores).contains {
          $0.user == user && $0.account == accounts[right.transaction]
        }
        if !hasAsked {
          events.reportViolation("\(right.transaction) is shared with \(user), who never asked to restore it")
        }
      }
    }
  }

  /// Records restores of another user's purchase that did not change the owner.
  private func noteKept(_ rights: [(Grant, String?)]) {
    for restore in records.phones.flatMap(\.restores) where restore.isDone {
      let isAnothers = rights.contains { grant, account in
        guard case .entitlement = grant.content, grant.isInForce else { return false }
        return account == restore.account && grant.user != restore.user && grant.grantedAt < restore.from
      }
      if isAnothers { events.mark(.restoreKeptOwner) }
    }
  }
}
