import AppStoreSimulator
import HTTPMessages
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// An operator reads the queue, and grants a repeat purchase after a refund to its buyer.
struct OperatorClaims: Sendable {
  let context: SimulationContext
  let appStore: WorldAppStore
  let purchases: ClaimablePurchases

  /// Processes the queue once.
  ///
  /// - Parameter refunds: whether the App Store then refunds some of these purchases, and reverses some of the
  ///   refunds.
  func run(refunds: Bool) async throws {
    guard context.plan.habits.isClaimed else { return }
    var chance = SeededChance(seed: context.seed, purpose: "an operator's claims \(refunds)")
    guard let queue = try await ask("GET", "/v1/operator/queue?limit=500"), queue.status == 200,
      let payments = (try? JSONReader.read(queue.body))?["payments"]?.array
    else { return context.events.reportViolation("the operator cannot read the queue") }
    let sold = try await purchases.sold()
    // The phones' sheets name the buyers in the home environment only; they do not know sandbox testers.
    for payment in payments
    where payment["reason"]?.string == "boughtAgainAfterRefund"
      && payment["environment"]?.string == context.appEnvironment.environment.rawValue
    {
      guard let id = payment["transactionId"]?.string.map({ TransactionIdentifier($0) }),
        let paid = purchases.paid(for: id, among: sold), let user = purchases.buyer(of: paid)
      else { continue }
      let charge = paid.id
      try await claim(id, paid, for: user)
      guard refunds, context.operatorBook.user(of: charge) != nil, chance.happens(perMille: 500) else { continue }
      try await context.sleep(.seconds(Int64(chance.number(below: 90))))
      context.events.record("App Store", "gives back \(charge), which an operator gave to \(user)")
      _ = try? await appStore.insist { try await $0.refunds.refund(charge) }
      guard chance.happens(perMille: 300) else { continue }
      try await context.sleep(.seconds(Int64(5 + chance.number(below: 90))))
      context.events.record("App Store", "takes back the refund of \(charge)")
      _ = try? await appStore.insist { try await $0.refunds.reverse(charge) }
    }
  }

  private func claim(_ id: TransactionIdentifier, _ paid: SimulatedTransaction, for user: UserIdentifier) async throws {
    let body = JSONValue.members([("userId", .string(user.text)), ("reason", "bought again after a refund")])
    let answer = try await ask("POST", "/v1/operator/payments/\(id)/claim", body: body)
    context.events.record("operator", "gives \(id) to \(user): \(answer?.status ?? 0)")
    if answer?.status == 200 { return context.operatorBook.note(paid.id, as: id, for: user) }
    // A product that is no longer configured promises nothing.
    guard context.catalog.present.product(for: paid.product) != nil else { return }
    context.events.reportViolation("the operator may not give \(id) to \(user): \(answer?.status ?? 0)")
  }

  /// Asks up to four times; nil without an answer. A repeated command gets the first answer again.
  private func ask(_ method: String, _ path: String, body: JSONValue? = nil) async throws -> HTTPResponse? {
    for _ in 0..<4 {
      let request = HTTPRequest(
        method, WorldShop.serverURL + path,
        fields: ["Authorization": "Bearer \(WorldShop.operatorKey)", "Content-Type": "application/json"],
        body: body?.bytes ?? [])
      let answer = try? await context.exchange(from: .backend, to: .server).send(request, .seconds(20))
      if let answer, answer.status < 500 { return answer }
      try await context.sleep(.seconds(4))
    }
    return nil
  }
}
