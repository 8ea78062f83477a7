import Console
import HTTPMessages
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing
import WeChatPayIntegration

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
}
