import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulatorCore
import TestDatabases
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

extension ErasedUserStory {
  /// The user's id at WeChat, which WeChat Pay signs with each payment.
  static let openid = "o-7Q9zX-openid"
  private static let phone = "13800137497"
  private static let address = "203.0.113.79"
  /// What only this user's rows contain because of WeChat Pay, apart from what it signed.
  static let personalAtWeChat = [phone, address, "words-7Q9", "answer-7Q9"]

  /// Pays an order in WeChat and complains about it, and leaves another order unpaid.
  func useWeChat() async throws {
    var request = OrderRequest(user: Self.user, product: "coins.100", quantity: 1, store: .weChatPay)
    (request.platform, request.tradeType, request.openid) = ("android", "JSAPI", Self.openid)
    request.scene = "profile of \(Self.user)"
    let details = try await shop.engine.createOrder(request, for: shop.app, by: .user(Self.user)).order
    let visit = try CashierVisit(handedOver: try #require(details.handOff))
    _ = try await weChatPay.cashier.visit(visit, openid: Self.openid, .pay)
    clock.advance(by: .seconds(10))
    await NotificationSender(weChatPay).sendDue()
    try await complain(about: details)
    // Nobody pays it: the erasure closes it.
    (request.tradeType, request.openid, request.payerAddress) = ("H5", nil, Self.address)
    _ = try await shop.engine.createOrder(request, for: shop.app, by: .user(Self.user))
  }

  /// The customer and an operator write to each other, until it is done.
  private func complain(about details: OrderDetails) async throws {
    let key = WeChatPaySimulator.OrderKey(mchid: TestMerchant.mchid, outTradeNo: details.order.key.id.outTradeNo)
    let id = try await weChatPay.control.complain(
      about: key, "words-7Q9: I am \(Self.user), call \(Self.phone)", pictures: 1, at: "http://wechat.one")
    try await shop.engine.learnComplaints(of: shop.app)
    let talk = try await shop.engine.tellComplaint(id, of: shop.app).talk
    let reason = OperatorReason(name: "lin", text: "\(Self.user) can be called at \(Self.phone)")
    for act: ComplaintAct in [.answer("answer-7Q9: we call \(Self.phone)", talk: talk), .complete] {
      try await shop.engine.handleComplaint(id, act, for: shop.app, reason: reason)
    }
  }
}
