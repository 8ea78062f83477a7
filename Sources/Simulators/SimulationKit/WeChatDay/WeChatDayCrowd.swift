import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// The payers of a day: they come at any time, and act like typical users.
struct WeChatDayCrowd: Sendable {
  private let shop: WeChatDayShop
  private let process: SimulatedProcess
  private let seed: UInt64
  private let orders: Int

  init(_ shop: WeChatDayShop, _ process: SimulatedProcess, seed: UInt64, orders: Int) {
    self.shop = shop
    self.process = process
    self.seed = seed
    self.orders = orders
  }

  /// Starts the payers, evenly over the day except for the last hour.
  func come() async {
    let pause = TimeSpan(milliseconds: max(1, TimeSpan.hours(23).milliseconds / Int64(orders)))
    for number in 0..<orders {
      process.spawn { await payer(number) }
      guard (try? await shop.dependencies.sleep(pause)) != nil else { return }
    }
  }

  /// One payer with one order. After an error the payer tries again or leaves.
  private func payer(_ number: Int) async {
    var chance = SeededChance(seed: seed, purpose: "payer \(number)")
    guard let events = await order(number, &chance) else { return }
    await visit(events, number, chance: &chance)
    let name = OrderName.id(events.order.key.id)
    if chance.happens(perMille: 700) {
      _ = try? await shop.engine.checkWeChatPay(
        name, in: WeChatDayShop.appEnvironment, of: events.order.user, for: shop.app)
    }
    if chance.happens(perMille: 50) {
      _ = try? await shop.engine.closeOrder(
        name, in: WeChatDayShop.appEnvironment, of: events.order.user, because: .customerGaveUp)
    }
    if chance.happens(perMille: 60) { await refund(name, events, number: number, chance: &chance) }
  }

  private func order(_ number: Int, _ chance: inout SeededChance) async -> OrderDetails? {
    let product = WeChatDayShop.products[chance.number(below: WeChatDayShop.products.count)]
    let user = UserIdentifier("user\(number)")
    var request = OrderRequest(
      user: user, product: product.id, quantity: product.kind == .consumable ? 1 + chance.number(below: 3) : 1,
      store: .weChatPay)
    request.platform = "android"
    request.tradeType = ["APP", "JSAPI", "H5", "NATIVE"][chance.number(below: 4)]
    request.openid = "o-\(number)"
    request.payerAddress = "203.0.113.9"
    request.idempotency = .init(key: "order \(number)", digest: "\(number)")
    for _ in 0..<3 {
      if let made = try? await shop.engine.createOrder(request, for: shop.app, by: .user(user)).order,
        made.handOff != nil || !made.order.state.isUnpaid
      {
        return made
      }
      guard (try? await shop.dependencies.sleep(.seconds(2))) != nil else { return nil }
    }
    return nil
  }

  private func visit(_ events: OrderDetails, _ number: Int, chance: inout SeededChance) async {
    guard let handOff = events.handOff, let visit = try? CashierVisit(handedOver: handOff) else { return }
    let action: CashierAction =
      switch chance.number(below: 100) {
      case 0..<60: .pay
      case 60..<63: .payWithCoupon(50)
      case 63..<75: .payAndLeave
      case 75..<80:
        .payLater(.seconds(Int64(chance.number(below: 3 * 3600))), winsOverClose: chance.happens(perMille: 500))
      case 80..<88: .cancel
      case 88..<97: .leave
      default: .fail
      }
    try? await shop.dependencies.sleep(.milliseconds(Int64(1000 + chance.number(below: 20_000))))
    _ = try? await shop.weChatPay.cashier.visit(visit, openid: "o-\(number)", action)
  }

  /// The backend refunds an order: in full, or in parts.
  private func refund(_ name: OrderName, _ events: OrderDetails, number: Int, chance: inout SeededChance) async {
    try? await shop.dependencies.sleep(.minutes(Int64(1 + chance.number(below: 30))))
    let parts = 1 + chance.number(below: 3)
    for part in 0..<parts {
      let amount: Int64? = part == parts - 1 ? nil : Int64(1 + chance.number(below: 100))
      for _ in 0..<2 {
        _ = try? await shop.engine.refundOrder(
          name, in: WeChatDayShop.appEnvironment,
          RefundRequest(amount: amount, reason: nil, idempotencyKey: "\(number).\(part)", askedBy: "backend"),
          for: shop.app)
      }
    }
  }
}
