import AppStoreIntegration
import AppStoreSimulator
import CounterfoilAPI
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import SimulatorCore

/// The months before the comparison: the purchases, and the few of them that the server learns of.
struct AppleHistoryPast: Sendable {
  private static let span = TimeSpan.days(150)
  /// The number of customers with thousands of purchases: their histories have many pages.
  private static let regulars = 20

  private let shop: AppleHistoryShop
  private let transactions: Int
  private let seed: UInt64

  init(_ shop: AppleHistoryShop, transactions: Int, seed: UInt64) {
    self.shop = shop
    self.transactions = transactions
    self.seed = seed
  }

  func happen() async throws {
    var chance = SeededChance(seed: seed, purpose: "past")
    let pause = TimeSpan(milliseconds: Self.span.milliseconds / Int64(transactions))
    let engine = try shop.frontEngine()
    var customers = 0
    var sold: [TransactionIdentifier] = []
    try await shop.appStore.setBehaviour(.notifyNever, to: 1)
    for number in 0..<transactions {
      try await shop.dependencies.sleep(pause)
      if number == transactions * 3 / 5 {
        // From now on the App Store sends notifications, and all of them are lost.
        try await shop.appStore.setBehaviour(.notifyNever, to: 0)
        try await shop.appStore.setBehaviour(.loseNotifications, to: 1_000_000)
      }
      let isNew = customers == 0 || chance.happens(perMille: 80)
      let customer = isNew ? customers : Self.customer(of: customers, &chance)
      if isNew {
        customers += 1
        try await shop.register(customer)
      }
      let id = try await buy(
        customer, isTold: isNew || chance.happens(perMille: 400), engine, number: number, chance: &chance)
      sold.append(id)
      if chance.happens(perMille: 30), let refunded = chance.pick(sold) {
        _ = try? await shop.appStore.refunds.refund(refunded, percentage: chance.happens(perMille: 200) ? 40_000 : nil)
      }
    }
    // Apple's last notification attempt comes after three days.
    try await shop.dependencies.sleep(.days(5))
  }

  private static func customer(of customers: Int, _ chance: inout SeededChance) -> Int {
    chance.number(below: chance.happens(perMille: 300) ? min(customers, regulars) : customers)
  }

  private func buy(
    _ customer: Int, isTold: Bool, _ engine: PaymentEngine, number: Int, chance: inout SeededChance
  ) async throws -> TransactionIdentifier {
    let product = chance.pick(AppleHistoryShop.products) ?? AppleHistoryShop.products[0]
    let user = AppleHistoryShop.user(customer)
    var request = SimulatedPurchaseRequest(
      owner: AppleHistoryShop.owner(customer), product: product.appStoreProducts.first ?? "")
    request.quantity = 1 + chance.number(below: 3)
    // The order of some purchases was lost with the app that made it.
    if !chance.happens(perMille: 10) {
      var wish = OrderRequest(user: user, product: product.id, quantity: request.quantity, store: .appStore)
      wish.platform = "ios"
      wish.idempotency = .init(key: "order \(number)", digest: "\(number)")
      let order = try await engine.createOrder(wish, for: shop.app, by: .user(user)).order.order
      request.appAccountToken = AppStoreUUID(order.key.id)
    }
    let purchase = try await shop.appStore.purchases.purchase(request)
    if isTold {
      _ = try await engine.submitAppStorePayment(
        SubmitAppStorePayment.Request(evidence: purchase.signedTransaction), from: user, for: shop.app)
      try await shop.appStore.purchases.finish(purchase.transaction.id, of: request.owner)
    }
    return purchase.transaction.id
  }
}
