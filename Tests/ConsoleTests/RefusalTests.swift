import Console
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

@Suite struct `A refused action` {
  private static let payment = "/console/app/shop/payments/appStore/simulated/77"

  /// Asks to set a payment aside, then approves it oneself.
  private func ownApproval(_ language: String) async throws -> Browser.Answer {
    let fixture = try ConsoleFixture(approvals: ApprovalRules(refundMinorUnits: 20_000))
    _ = try await fixture.shop.submit(fixture.shop.transaction("77"), by: nil)
    let asker = try await fixture.browser(as: .operator, language: language)
    let form = try #require(await asker.get(Self.payment).form(Self.payment + "/set-aside"))
    let reason = ("reason", "ticket 58213")
    _ = await asker.post(Self.payment + "/set-aside", form + [reason])
    let approval = try #require(try await fixture.shop.engine.approvals(of: "shop").first)
    let own = try #require(await asker.get(Self.payment).form(Self.payment + "/set-aside"))
    return await asker.post(
      "/console/app/shop/approvals/\(approval.id)/approve", own + [("digest", approval.digest), reason])
  }

  @Test func `says why and what to do in Chinese on a Chinese page, and nothing of it in English`() async throws {
    let chinese = try await ownApproval("zh")
    #expect(chinese.status == 409)
    for words in [
      EngineErrorCode.actNotPossible.meaning.chinese, EngineErrorCode.actNotPossible.remedy.chinese, "任何人都不能复核自己的申请。",
    ] { #expect(chinese.page.contains(words), "\(words)") }
    #expect(!chinese.page.contains("Nobody approves"))
    let english = try await ownApproval("en")
    #expect(english.status == 409 && english.page.contains("Nobody approves what they asked for."))
    #expect(english.page.contains("Read the state as it is now.") && !english.page.contains("任何人"))
  }

  @Test func `names a state in Chinese`() async throws {
    let fixture = try ConsoleFixture()
    _ = try await fixture.paidOrder()
    let path = "/console/app/shop/payments/appStore/simulated/1001/release"
    for (language, words) in [("zh", "目前为“已入账”。"), ("en", "It is fulfilled.")] {
      let browser = try await fixture.browser(language: language)
      let token = ("token", try #require(await browser.get("/console/me").hidden("token")))
      let press = ("press", language + String(repeating: "0", count: 30))
      let answer = await browser.post(path, [token, press, ("reason", "ticket 58213")])
      #expect(answer.status == 409 && answer.page.contains(words), "\(language): \(answer.page)")
    }
  }

  @Test(arguments: RefusalDetails.patterns.map(\.english))
  func `keeps each value of its details in the Chinese sentence`(pattern: String) throws {
    var number = 0
    let details = pattern.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
      .reduce(into: "") { text, part in
        if number > 0 { text += "value\(number)" }
        text += part
        number += 1
      }
    let chinese = try #require(RefusalDetails.chinese(details))
    #expect(chinese.hasSuffix("。") && !chinese.contains("%"), "\(chinese)")
    for value in 1..<number { #expect(chinese.contains("value\(value)"), "\(chinese)") }
  }

  @Test func `has a Chinese sentence for each fixed one, and marks words that it does not know as English`()
    async throws
  {
    for (english, chinese) in RefusalDetails.sentences {
      #expect(english.hasSuffix(".") && chinese.hasSuffix("。"), "\(english)")
      #expect(RefusalDetails.chinese(english) == chinese)
    }
    #expect(RefusalDetails.chinese("PARAM_ERROR: the store's own words") == nil)
    #expect(RefusalDetails.chinese("It is held (productUnknown).") == "目前为“已挂起：商品未配置”。")
    // A user may be called like a state.
    #expect(RefusalDetails.chinese("paid was merged into %1.") == "paid 已并入 %1。")
  }
}
