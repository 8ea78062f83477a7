import AppStoreSimulator
import Console
import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Operators who give what was bought again after a refund to its buyer, by a button of the console.
struct ConsoleClaims: Sendable {
  let context: SimulationContext
  let database: WorldDatabase
  let purchases: ClaimablePurchases

  /// How many more times operators look for something to claim. It is rare, and mostly comes after other presses.
  var furtherTurns: Int { context.plan.habits.isClaimed ? 6 : 0 }

  /// A press that gives a payment to its buyer; nil if none is to be given.
  func choose(_ number: Int, by chance: inout SeededChance) async throws -> WorldOperators.Press? {
    guard context.plan.habits.isClaimed, chance.happens(perMille: 800) else { return nil }
    let waiting = try await waitingPayments()
    guard !waiting.isEmpty else { return nil }
    let sold = try await purchases.sold()
    let claims = waiting.compactMap { key -> (PaymentKey, UserIdentifier)? in
      // While faults are active, the server may not know that a refund was undone. Then it may hold a further id of the
      // first purchase, for which nobody paid again.
      guard let paid = purchases.paid(for: key.transaction, among: sold), paid.originalId != paid.id,
        let user = purchases.buyer(of: paid)
      else { return nil }
      return (key, user)
    }
    guard let (payment, user) = chance.pick(claims), let account = chance.pick(WorldOperators.Account.all) else {
      return nil
    }
    let id = String(("claim\(number)-" + String(repeating: "0", count: 32)).prefix(32))
    return WorldOperators.Press(
      id: id, account: account, path: WorldOperators.Press.path(of: payment) + "/" + ConsoleAction.claim.rawValue,
      action: ConsoleAction.claim.entry, reason: "reason of \(id)", fields: ["user": user.text], claimed: payment)
  }

  /// Another operator, who has the page open too and gives the payment to the same user at the same moment; or nobody.
  func rivals(of press: WorldOperators.Press, by chance: inout SeededChance) -> [WorldOperators.Press] {
    guard press.claimed != nil, chance.happens(perMille: 500) else { return [] }
    return WorldOperators.Account.all.filter { $0 != press.account }.map { account in
      WorldOperators.Press(
        id: String(("rival" + press.id).prefix(32)), account: account, path: press.path, action: press.action,
        reason: "rival of \(press.id)", fields: press.fields, claimed: press.claimed)
    }
  }

  /// The payments that were bought again after a refund, and wait for an operator.
  private func waitingPayments() async throws -> [PaymentKey] {
    // The phones' sheets name the buyers in the home environment only.
    let place = context.appEnvironment
    return try await database.read(in: context) { reader in
      try reader.payments(inState: "held", firstSeenBefore: Timestamp(milliseconds: .max), in: place, limit: 100)
        .filter { $0.state == .held(.boughtAgainAfterRefund) }.map(\.key)
    }
  }

  /// Tells the oracle which claims took effect, by the audit log: an answer may be lost, and a server killed.
  func note() async throws {
    let presses = context.operators.presses.filter { $0.claimed != nil }
    guard !presses.isEmpty else { return }
    let sold = try await purchases.sold()
    for press in presses {
      guard let key = press.claimed, let user = press.fields["user"],
        let paid = purchases.paid(for: key.transaction, among: sold)
      else { continue }
      let actionKey = press.key
      let (entry, payment) = try await database.read(in: context) { reader in
        (try reader.auditLogEntry(actionKey: actionKey), try reader.payment(key))
      }
      // The entry of a claim that changed nothing says the same; then another rule may have found the user.
      guard entry?.action == press.action, entry?.outcome == .done, payment?.match?.rule == .operator else { continue }
      context.operatorBook.note(paid.id, as: key.transaction, for: UserIdentifier(user))
      context.events.record(
        press.account.name.text, "has given \(key.transaction) to \(user)", mark: .operatorPressedClaim)
    }
  }
}
