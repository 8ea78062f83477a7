import AppStoreSimulator
import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Checks the sales of the team's other app, and that users who cheat have gained nothing.
struct OtherShopCheck: WorldCheck {
  let records: WorldRecords

  /// Checks that each charge of the other app is granted there, once, to its user, and nowhere else. A user without
  /// purchases must have nothing.
  func run() async throws {
    let payments = try await database.read { try $0.payments(after: nil, limit: 10_000) }
    let home = context.appEnvironment.environment
    let sold = Set(records.chargesElsewhere.map(\.transaction.id))
    for payment in payments
    where payment.key.environment == home
      && sold.contains(payment.key.transaction) != (payment.key.app == OtherShop.id)
    {
      events.reportViolation(
        "the payment \(payment.key.transaction) is in the app \(payment.key.app), where no user made it")
    }
    var due: Int64 = 0
    for charge in records.chargesElsewhere {
      let id = charge.transaction.id
      let key = PaymentKey(app: OtherShop.id, store: .appStore, environment: home, transaction: id)
      let (payment, grant) = try await database.read { (try $0.payment(key), try $0.grant(key)) }
      let isRefunded = charge.refundedPercentage > 0
      let left = 30 - RefundedPieces.count(charge.refundedPercentage, of: 100_000, in: 30)
      due += left
      switch payment?.state {
      case .fulfilled, .reinstated, .reversed:
        if grant?.user != OtherShop.user {
          events.reportViolation("\(id) of the other app is \(grant?.user.text ?? "no user")'s")
        }
      case .revoked where isRefunded: continue
      case let state:
        // A lost token names no user, and this app has no phones that could claim.
        guard charge.transaction.appAccountToken == nil, payment?.isInQueue == true else {
          events.reportViolation("\(id) of the other app came to rest as \(state?.name ?? "unknown")")
          continue
        }
      }
      if charge.transaction.appAccountToken == nil, grant == nil { due -= left }
    }
    let balances = try await database.read { try $0.balances(after: nil, limit: 10_000) }
    let has = balances.filter { $0.appEnvironment == AppEnvironment(app: OtherShop.id, environment: home) }.reduce(0) {
      $0 + $1.amount
    }
    if has != due { events.reportViolation("\(OtherShop.user) must have \(due) stars and has \(has)") }
    let grants = try await database.read { database in try payments.compactMap { try database.grant($0.key) } }
    for grant in grants where grant.user == CheatingUser.id {
      events.reportViolation("\(grant.payment.transaction) is \(CheatingUser.id)'s, who bought nothing")
    }
  }
}
