import AppStoreSimulator
import HTTPMessages
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Sandbox purchases of testers in an app with production as its home. The director process acts as their phones.
struct SandboxSales: Sendable {
  let context: SimulationContext
  let appStore: WorldAppStore
  let phones: [WorldPhone]

  private var plan: SandboxPlan { context.plan.sandbox }

  /// Purchases in the sandbox, with refunds in between.
  func run() async throws {
    guard plan.purchases > 0 else { return }
    var chance = SeededChance(seed: context.seed, purpose: "the sandbox")
    for number in 0..<plan.purchases {
      try await context.sleep(.seconds(Int64(10 + chance.number(below: 200))))
      if let purchase = try await order(&chance) {
        try await pay(purchase.order, purchase.product, quantity: purchase.quantity)
      }
      guard number < plan.refunds else { continue }
      try await context.sleep(.seconds(Int64(chance.number(below: 60))))
      let open = try await sold().filter { $0.refundedPercentage == 0 }
      guard let id = chance.pick(open)?.transaction.id else { continue }
      context.events.record("App Store", "gives back \(id) of the sandbox")
      _ = try? await appStore.insist { try await $0.refunds.refund(id) }
    }
  }

  /// After all faults have ended, submits every sandbox sale again.
  func resubmit() async throws {
    guard plan.purchases > 0 else { return }
    let sold = try await appStore.insist { await $0.transactions() }.filter { $0.environment == .sandbox }
    for transaction in sold {
      let token = transaction.appAccountToken?.text
      guard let purchase = context.sandboxNotes.purchase(transaction.id, token: token) else { continue }
      try await handIn(transaction.id, purchase)
    }
  }

  private func sold() async throws -> [SimulatedCharge] {
    try await appStore.insist { await $0.charges() }.filter { $0.transaction.environment == .sandbox }
  }

  /// An order to pay in the sandbox: a new one, or one that was already paid in production.
  private func order(
    _ chance: inout SeededChance
  ) async throws -> (order: SandboxNotes.Purchase, product: StoreProductIdentifier, quantity: Int)? {
    let isPaidOne = chance.happens(perMille: 300)
    let user = chance.happens(perMille: 500) ? chance.pick(phones.flatMap(\.plan.users)) : nil
    let isElsewhere = context.plan.crowd.otherPurchases > 0 && chance.happens(perMille: 300)
    let product = isElsewhere ? OtherShop.product : chance.pick(WorldShop.products) ?? WorldShop.products[0]
    let quantity = product.kind == .consumable ? 1 + chance.number(below: 3) : 1
    if isPaidOne { return try await paidOrder(&chance) }
    let (app, buyer) = isElsewhere ? (OtherShop.id, OtherShop.user) : (WorldShop.id, user ?? SandboxPlan.tester)
    let body = JSONValue.members([
      ("productId", .string(product.id.text)), ("quantity", .integer(quantity)), ("store", "appStore"),
      ("platform", "ios"),
    ])
    guard let answer = try await ask("/v1/orders", body, of: app, as: buyer), answer.status == 201,
      let id = (try? JSONReader.read(answer.body))?["id"]?.string.flatMap({ OrderIdentifier($0) })
    else { return nil }
    let purchase = SandboxNotes.Purchase(app: app, user: buyer, order: id, isForSandboxAlone: true)
    return (purchase, product.appStoreProducts[0], quantity)
  }

  /// An order whose token belongs to a purchase that was charged in production; a tester reuses it in the sandbox.
  private func paidOrder(
    _ chance: inout SeededChance
  ) async throws -> (order: SandboxNotes.Purchase, product: StoreProductIdentifier, quantity: Int)? {
    let charges = try await appStore.insist { await $0.charges() }.filter {
      $0.transaction.environment == .production && $0.transaction.appAccountToken != nil
        && $0.transaction.period == nil
    }
    guard let sold = chance.pick(charges)?.transaction,
      let id = sold.appAccountToken.flatMap({ OrderIdentifier($0.text) })
    else { return nil }
    let isElsewhere = sold.owner.bundleId == OtherShop.bundleId
    // If two users of one phone requested that product, the phone's records do not show which of them owns the order.
    let users = Set(phones.flatMap(\.sheets).filter { $0.token == id }.flatMap(\.users))
    guard let user = isElsewhere ? OtherShop.user : users.count == 1 ? users.first : nil else { return nil }
    let purchase = SandboxNotes.Purchase(
      app: isElsewhere ? OtherShop.id : WorldShop.id, user: user, order: id, isForSandboxAlone: false)
    return (purchase, sold.product, sold.quantity)
  }

  private func pay(
    _ purchase: SandboxNotes.Purchase, _ product: StoreProductIdentifier, quantity: Int
  ) async throws {
    let bundleId = purchase.app == OtherShop.id ? OtherShop.bundleId : WorldShop.bundleId
    var request = SimulatedPurchaseRequest(
      owner: AppOwner(account: AppleAccountIdentifier(SandboxPlan.account), bundleId: bundleId), product: product)
    request.quantity = quantity
    request.appAccountToken = AppStoreUUID(purchase.order)
    let asked = request
    context.sandboxNotes.note(purchase)
    context.events.record(
      "tester", "\(purchase.user) buys \(product) in the sandbox for \(purchase.order)", mark: .soldInSandbox)
    guard let bought = try? await appStore.insist({ try await $0.purchases.purchase(asked) }) else { return }
    context.sandboxNotes.note(bought.transaction.id, of: purchase.order)
    try await handIn(bought.transaction.id, purchase)
  }

  private func handIn(_ id: TransactionIdentifier, _ purchase: SandboxNotes.Purchase) async throws {
    let signed = try await appStore.insist { try await $0.signedTransaction(id) }.signedTransaction
    let body = JSONValue.members([("evidence", .string(signed))])
    _ = try await ask("/v1/payments/app-store", body, of: purchase.app, as: purchase.user)
  }

  /// Asks up to four times; nil without an answer.
  private func ask(
    _ path: String, _ body: JSONValue, of app: AppIdentifier, as user: UserIdentifier
  ) async throws -> HTTPResponse? {
    let key = app == OtherShop.id ? OtherShop.tokenKey : WorldShop.tokenKey
    for _ in 0..<4 {
      let token = WorldShop.userToken(for: user, of: app, by: key, at: context.world.now)
      let request = HTTPRequest(
        "POST", WorldShop.serverURL + path,
        fields: ["Authorization": "Bearer \(token)", "Content-Type": "application/json"], body: body.bytes)
      let answer = try? await context.exchange(from: .phone(92), to: .server).send(request, .seconds(20))
      if let answer, answer.status < 500 { return answer }
      try await context.sleep(.seconds(4))
    }
    return nil
  }
}
