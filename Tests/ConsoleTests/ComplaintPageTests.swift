import Console
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `The console's pages of complaints` {
  private static let list = "/console/app/shop/complaints"

  /// A payment of 6 yuan, and a complaint about it that the shop has learned.
  private static func complaint(
    _ world: WeChatConsoleFixture, _ text: String = "没有到账", pictures: Int = 0
  ) async throws -> (payment: PaymentKey, id: String) {
    let payment = try await world.paid()
    let known = try await world.shop.engine.tellPayment(payment)
    let order = try #require(known.payment?.order)
    let key = WeChatPaySimulator.OrderKey(mchid: TestMerchant.mchid, outTradeNo: order.outTradeNo)
    let id = try await world.weChatPay.control.complain(
      about: key, text, refund: 600, pictures: pictures, at: "http://wechat.one")
    try await world.shop.engine.learnComplaints(of: world.shop.app)
    return (payment, id)
  }

  private static func press(
    _ action: String, of id: String, by browser: Browser, _ fields: [(String, String)] = []
  ) async throws -> Browser.Answer {
    let target = list + "/\(id)/\(action)"
    let form = try #require(await browser.get(list + "/\(id)").form(target), "\(action) is offered")
    return await browser.post(target, form + [("reason", "ticket 58213")] + fields)
  }

  @Test func `send no answer that WeChat Pay would refuse, and show viewers nothing that the customer wrote`() throws {
    let world = try WeChatConsoleFixture()
    try world.perform { world in
      let (_, id) = try await Self.complaint(world, "<script>alert(1)</script>我的电话 13800000000", pictures: 1)
      let support = try await world.fixture.browser(as: .support)
      for text in ["", String(repeating: "好", count: 201), "😀", "a\nb"] {
        #expect(try await Self.press("answer", of: id, by: support, [("text", text)]).status == 422, "\(text)")
      }
      let viewer = try await world.fixture.browser(as: .viewer)
      let seen = await viewer.get(Self.list + "/\(id)").page
      #expect(!seen.contains("13800000000") && !seen.contains("/pictures/"))
      #expect(await viewer.get(Self.list + "/\(id)/pictures/0").status == 403)
      let page = await support.get(Self.list + "/\(id)").page
      #expect(page.contains("13800000000") && !page.contains("<script>alert"))
      let picture = await support.get(Self.list + "/\(id)/pictures/0")
      #expect(picture.status == 200 && picture.response.fields["Content-Type"] == "image/png")
      for place in ["1", "-1", "x"] {
        #expect(await support.get(Self.list + "/\(id)/pictures/\(place)").status == 404)
      }
    }
  }

  @Test func `answer, and end, with one entry each, and the talk shows both`() throws {
    let world = try WeChatConsoleFixture()
    try world.perform { world in
      let (_, id) = try await Self.complaint(world)
      let browser = try await world.fixture.browser(as: .support)
      #expect(await browser.get(Self.list).page.contains(id))
      #expect(await browser.get("/console/app/shop/needs-attention").page.contains(Self.list + "/\(id)"))
      let page = Self.list + "/\(id)"
      let answer = try await Self.press("answer", of: id, by: browser, [("text", "马上处理")])
      #expect(answer.location == page + "?notice=done")
      #expect(try await Self.press("complete", of: id, by: browser).location == page + "?notice=done")
      let seen = await browser.get(page).page
      #expect(seen.contains("马上处理") && seen.contains("ended it") && !seen.contains(page + "/answer"))
      #expect(!(await browser.get(Self.list).page.contains(id)))
      #expect(await browser.get(Self.list + "?state=all").page.contains(id))
      #expect(try await world.fixture.entries().map(\.action) == ["complaint.answer", "complaint.complete"])
    }
  }

  @Test func `wait in the queue with their deadline, in the page's language and time`() throws {
    let world = try WeChatConsoleFixture()
    try world.perform { world in
      _ = try await Self.complaint(world)
      for (language, words) in [("en", "due <time "), ("zh", "期限：<time ")] {
        let browser = try await world.fixture.browser(as: .support, language: language)
        let page = await browser.get("/console/app/shop/needs-attention?kind=complaint").page
        // The exact time in UTC stands in an attribute alone.
        #expect(page.contains(words) && !page.contains("Z<"), "\(language)")
      }
      let app = world.shop.app
      let items = try await world.shop.engine.needsAttention(
        of: app, in: app.userEnvironments, kinds: [.complaint], limit: 10)
      #expect(items.first?.found?.hasPrefix("due 2") == true && items.first?.found?.hasSuffix("Z") == true)
    }
  }

  @Test func `let an answer that two operators press on two pages reach the customer once`() throws {
    let world = try WeChatConsoleFixture()
    try world.perform { world in
      let (_, id) = try await Self.complaint(world)
      let target = Self.list + "/\(id)/answer"
      let browsers = [try await world.fixture.browser(as: .support), try await world.fixture.browser()]
      var forms: [[(String, String)]] = []
      for browser in browsers { forms.append(try #require(await browser.get(Self.list + "/\(id)").form(target))) }
      var statuses: [Int] = []
      for (browser, form) in zip(browsers, forms) {
        statuses.append(
          await browser.post(target, form + [("reason", "ticket 58213"), ("text", "马上处理")]).status)
      }
      #expect(statuses == [303, 409])
      #expect(await world.weChatPay.complaint(id)?.steps.count { $0.kind == "MERCHANT_RESPONSE" } == 1)
    }
  }

  @Test func `stand on the page of their order and of their user`() throws {
    let world = try WeChatConsoleFixture()
    try world.perform { world in
      let (payment, id) = try await Self.complaint(world)
      let browser = try await world.fixture.browser(as: .viewer)
      let order = try #require(try await world.shop.engine.tellPayment(payment).payment?.order)
      for page in ["orders/\(order)", "users/alice?environment=simulated"] {
        #expect(await browser.get("/console/app/shop/" + page).page.contains(Self.list + "/\(id)"), "\(page)")
      }
      let second = try await world.paid()
      let other = try #require(try await world.shop.engine.tellPayment(second).payment?.order)
      #expect(!(await browser.get("/console/app/shop/orders/\(other)").page.contains(Self.list + "/\(id)")))
    }
  }

  @Test func `refund a part once, also when two operators press at the same moment`() throws {
    for seed in 1...4 as ClosedRange<UInt64> {
      let world = try WeChatConsoleFixture(seed: seed)
      try world.perform { world in
        let (payment, id) = try await Self.complaint(world)
        let browsers = [try await world.fixture.browser(as: .finance), try await world.fixture.browser()]
        try await withThrowingTaskGroup(of: Void.self) { group in
          for browser in browsers {
            group.addTask { _ = try await Self.press("approve-refund", of: id, by: browser, [("amount", "2.00")]) }
          }
          try await group.waitForAll()
        }
        let refunds = try await world.shop.engine.read { try $0.refunds(of: payment) }
        #expect(refunds.map(\.amount.minorUnits) == [200], "seed \(seed)")
      }
    }
  }

  @Test func `refund what the customer asks for, above the limit with a second operator, once`() throws {
    let world = try WeChatConsoleFixture(approvals: ApprovalRules(refundMinorUnits: 500))
    try world.perform { world in
      let (payment, id) = try await Self.complaint(world)
      let finance = try await world.fixture.browser(as: .finance)
      let asked = try await Self.press("approve-refund", of: id, by: finance)
      #expect(asked.location == "/console/app/shop/approvals?notice=asked")
      #expect(try await world.shop.engine.read { try $0.refunds(of: payment) }.isEmpty)
      #expect(await world.weChatPay.complaint(id)?.refundDecision == nil)

      let approval = try #require(try await world.shop.engine.approvals(of: "shop").first)
      let admin = try await world.fixture.browser()
      let token = try #require(await admin.get("/console/me").hidden("token"))
      for press in ["a", "b"] {
        _ = await admin.post(
          "/console/app/shop/approvals/\(approval.id)/approve",
          [
            ("token", token), ("press", String(repeating: press, count: 32)), ("digest", approval.digest),
            ("reason", "nothing arrived"),
          ])
      }
      let refunds = try await world.shop.engine.read { try $0.refunds(of: payment) }
      #expect(refunds.map(\.amount.minorUnits) == [600])
      #expect(await world.weChatPay.complaint(id)?.refundDecision == "APPROVE")
    }
  }
}
