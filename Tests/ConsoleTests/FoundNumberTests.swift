import Console
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing
import WeChatPayIntegration
import WeChatPaySimulator

/// The numbers of a refund and of a complaint, which customers read in WeChat.
@Suite struct `A number of WeChat Pay in the search` {
  private static let search = "/console/app/shop/search?q="

  @Test func `of a refund leads to its payment, and one that nobody has leads nowhere`() throws {
    let world = try WeChatConsoleFixture()
    try world.perform { world in
      let payment = try await world.paid()
      _ = try await world.shop.engine.refundPayment(
        payment, RefundRequest(amount: 200, reason: nil, idempotencyKey: "a", askedBy: "tests"))
      let refund = try #require(try await world.shop.engine.read { try $0.refunds(of: payment) }.first)
      let browser = try await world.fixture.browser(as: .viewer)
      let unknown = await browser.get(Self.search + refund.number + "0")
      #expect(unknown.status == 200 && unknown.page.contains("Nothing was found"))
      for number in [refund.number, try #require(refund.storeNumber)] {
        let answer = await browser.get(Self.search + number)
        #expect(
          answer.location == "/console/app/shop/payments/weChatPay/simulated/\(payment.transaction)", "\(number)")
      }
    }
  }

  @Test func `of a complaint leads to its page, and shows viewers nothing that the customer wrote`() throws {
    let world = try WeChatConsoleFixture()
    try world.perform { world in
      let payment = try await world.paid()
      let order = try #require(try await world.shop.engine.tellPayment(payment).payment?.order)
      let key = WeChatPaySimulator.OrderKey(mchid: TestMerchant.mchid, outTradeNo: order.outTradeNo)
      let id = try await world.weChatPay.control.complain(
        about: key, "没有到账", refund: 600, pictures: 0, at: "http://wechat.one")
      let browser = try await world.fixture.browser(as: .viewer)
      #expect(await browser.get(Self.search + id).page.contains("Nothing was found"))
      try await world.shop.engine.learnComplaints(of: world.shop.app)
      #expect(await browser.get(Self.search + id).location == "/console/app/shop/complaints/\(id)")
      // The page of the search itself, as it stands after an action.
      for (language, words) in [("en", "not answered"), ("zh", "待回复")] {
        let other = try await world.fixture.browser(as: .viewer, language: language)
        let page = await other.get(Self.search + id + "&notice=done").page
        #expect(page.contains("/console/app/shop/complaints/\(id)") && page.contains(words), "\(language)")
        #expect(!page.contains("没有到账"))
      }
    }
  }
}
