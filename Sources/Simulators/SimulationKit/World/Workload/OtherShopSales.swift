import AppStoreSimulator
import HTTPMessages
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Sales of the team's other app on the same server. The director process acts as its phones: nothing of theirs is
/// lost.
struct OtherShopSales: Sendable {
  let context: SimulationContext
  let appStore: WorldAppStore

  private var plan: CrowdPlan { context.plan.crowd }

  /// Purchases in the other app, with refunds in between.
  func run() async throws {
    guard plan.otherPurchases > 0 else { return }
    var chance = SeededChance(seed: context.seed, purpose: "the other app")
    var slow = SeededChance(seed: context.seed, purpose: "slow customers of the other app")
    for number in 0..<plan.otherPurchases {
      try await context.sleep(.seconds(Int64(10 + chance.number(below: 200))))
      guard let account = chance.pick(context.accounts) else { return }
      try await buy(account, &slow)
      guard number < plan.otherRefunds else { continue }
      try await context.sleep(.seconds(Int64(chance.number(below: 60))))
      let open = try await sold().filter { $0.refundedPercentage == 0 }
      guard let id = chance.pick(open)?.transaction.id else { continue }
      context.events.record("App Store", "gives back \(id) of the other app")
      _ = try? await appStore.insist { try await $0.refunds.refund(id) }
    }
  }

  /// The transactions that the other app has sold, according to the App Store; empty if it has no purchases in this
  /// world.
  func soldIds() async throws -> Set<TransactionIdentifier> {
    guard plan.otherPurchases > 0 else { return [] }
    return Set(try await sold().map(\.transaction.id))
  }

  /// After all faults have ended, submits every sale of the other app again.
  func resubmit() async throws {
    guard plan.otherPurchases > 0 else { return }
    for charge in try await sold() { try await handIn(charge.transaction.id) }
  }

  /// Waits for a random time, in worlds with slow customers.
  private func dawdle(_ chance: inout SeededChance) async throws {
    guard plan.isOtherSlow, chance.happens(perMille: 600) else { return }
    try await context.sleep(.seconds(Int64(5 + chance.number(below: 200))))
  }

  private func sold() async throws -> [SimulatedCharge] {
    try await appStore.insist { await $0.charges() }.filter { $0.transaction.owner.bundleId == OtherShop.bundleId }
  }

  private func buy(_ account: String, _ slow: inout SeededChance) async throws {
    let body = JSONValue.members([
      ("productId", .string(OtherShop.product.id.text)), ("store", "appStore"), ("platform", "ios"),
    ])
    let began = context.world.now
    let answered = try await ask("/v1/orders", body)
    for standing in [OtherShop.Standing.retired, .absent] where context.catalog.isOther(standing, since: began) {
      if answered?.status == 201 { context.events.reportViolation("the other app is \(standing), and made an order") }
      if answered != nil {
        context.events.record("other app", "sells nothing: it is \(standing)", mark: .orderedFromNobody)
      }
    }
    guard let answer = answered, answer.status == 201,
      let order = (try? JSONReader.read(answer.body))?["id"]?.string.flatMap({ OrderIdentifier($0) })
    else { return }
    var request = SimulatedPurchaseRequest(
      owner: AppOwner(account: AppleAccountIdentifier(account), bundleId: OtherShop.bundleId),
      product: OtherShop.product.appStoreProducts[0])
    request.appAccountToken = AppStoreUUID(order)
    let asked = request
    try await dawdle(&slow)
    context.events.record("other app", "\(OtherShop.user) buys for \(order)", mark: .soldElsewhere)
    guard let purchase = try? await appStore.insist({ try await $0.purchases.purchase(asked) }) else { return }
    try await dawdle(&slow)
    try await handIn(purchase.transaction.id)
  }

  private func handIn(_ id: TransactionIdentifier) async throws {
    let signed = try await appStore.insist { try await $0.signedTransaction(id) }.signedTransaction
    _ = try await ask("/v1/payments/app-store", .members([("evidence", .string(signed))]))
  }

  /// Asks up to four times; nil without an answer.
  private func ask(_ path: String, _ body: JSONValue) async throws -> HTTPResponse? {
    for _ in 0..<4 {
      let token = WorldShop.userToken(
        for: OtherShop.user, of: OtherShop.id, by: OtherShop.tokenKey, at: context.world.now)
      let request = HTTPRequest(
        "POST", WorldShop.serverURL + path,
        fields: ["Authorization": "Bearer \(token)", "Content-Type": "application/json"], body: body.bytes)
      let answer = try? await context.exchange(from: .phone(90), to: .server).send(request, .seconds(20))
      if let answer, answer.status < 500 { return answer }
      try await context.sleep(.seconds(4))
    }
    return nil
  }
}
