import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import StrictJSON
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// The routes; what WeChat Pay makes of it is in `ComplaintTests`.
@Suite struct `An operator who handles complaints over HTTP` {
  private static let path = "/v1/operator/complaints"

  /// A paid order, and a complaint about it that the shop has learned: its number.
  private static func complaint(_ shop: WeChatPayServerFixture) async throws -> String {
    let order = try #require(OrderIdentifier(try await shop.bought()))
    let key = WeChatPaySimulator.OrderKey(mchid: TestMerchant.mchid, outTradeNo: order.outTradeNo)
    let id = try await shop.weChatPay.control.complain(about: key, "我的电话 13800000000", refund: 600)
    try await shop.front.engine.learnComplaints(of: try #require(shop.front.engine.apps["shop"]))
    return id
  }

  private static func answer(
    _ changes: [(String, JSONValue?)] = [], talk: String = "x"
  ) -> JSONValue {
    let usual: [(String, JSONValue?)] = [("text", "马上处理"), ("talk", .string(talk)), ("reason", "ticket 7")]
    return .members(usual.map { name, value in (name, changes.first { $0.0 == name }.map(\.1) ?? value) })
  }

  @Test func `is refused with other keys than an operator's, for an unknown complaint, and for a wrong field`()
    async throws
  {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      let front = shop.front
      let one = Self.path + "/2002"
      let calls: [(String, String, JSONValue?)] = [
        ("GET", Self.path, nil), ("GET", one, nil), ("POST", one + "/answer", Self.answer()),
        ("POST", one + "/complete", .members([("reason", "ticket 7")])),
      ]
      for (method, path, body) in calls {
        for credential in [front.token(), front.keys.publishable, front.keys.secret] {
          #expect(await front.ask(method, path, as: credential, json: body).code == "not_allowed", "\(path)")
        }
        guard path != Self.path else { continue }
        #expect(await front.ask(method, path, as: front.keys.operator, json: body).code == "complaint_unknown")
      }
      let wrong: [(String, JSONValue?)] = [
        ("text", nil), ("text", ""), ("text", "a\nb"), ("text", "😀"),
        ("text", .string(String(repeating: "好", count: 201))), ("talk", nil), ("reason", nil), ("reason", ""),
      ]
      for change in wrong {
        let body = Self.answer([change])
        let answer = await front.ask("POST", one + "/answer", as: front.keys.operator, json: body)
        #expect(answer.code == "field_invalid", "\(change)")
      }
      for query in ["?state=old", "?limit=0", "?state=all&after=x", "?user=alice"] {
        #expect(await front.ask("GET", Self.path + query, as: front.keys.operator).status == 400, "\(query)")
      }
    }
  }

  @Test func `answers once however often it is sent, ends it, and shows viewers nothing that the customer wrote`()
    async throws
  {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      let front = shop.front
      let id = try await Self.complaint(shop)
      let open = await front.ask("GET", Self.path, as: front.keys.operator)
      #expect(open["complaints"]?.array?.compactMap { $0["complaintId"]?.string } == [id] && open["next"] == nil)
      let one = Self.path + "/" + id
      let told = await front.ask("GET", one, as: front.keys.operator)
      let talk = try #require(told["talk"]?.string)
      #expect(told["text"]?.string?.contains("13800000000") == true && told["payments"]?.array?.count == 1)
      let key = try await front.engine.createKey(.operator, for: "shop", label: "tests", role: .viewer).text
      let viewed = await front.ask("GET", one, as: key)
      #expect(viewed.status == 200 && viewed["text"]?.string == "***" && !viewed.text.contains("13800000000"))
      #expect(
        await front.ask("POST", one + "/answer", as: key, json: Self.answer(talk: talk)).code == "role_not_allowed")

      var codes: [Int] = []
      for _ in 0..<2 {
        codes.append(
          await front.ask("POST", one + "/answer", as: front.keys.operator, json: Self.answer(talk: talk)).status)
      }
      #expect(codes == [200, 409])
      #expect(await shop.weChatPay.complaint(id)?.steps.count { $0.kind == "MERCHANT_RESPONSE" } == 1)
      let done = await front.ask(
        "POST", one + "/complete", as: front.keys.operator, json: .members([("reason", "ticket 7")]))
      #expect(done.status == 200 && done["state"]?.string == "PROCESSED" && done["doneAt"] != nil)
      let none = await front.ask("GET", Self.path, as: front.keys.operator)
      #expect(none["complaints"]?.array?.isEmpty == true)
      let all = await front.ask("GET", Self.path + "?state=all&limit=1", as: front.keys.operator)
      let next = try #require(all["next"]?.string)
      #expect(all["complaints"]?.array?.count == 1)
      let rest = await front.ask(
        "GET", Self.path + "?state=all&after=\(RequestTarget.encode(next))", as: front.keys.operator)
      #expect(rest["complaints"]?.array?.isEmpty == true)
      let log = try await front.engine.auditLog(before: nil, limit: 50).filter { $0.objectKind == "complaint" }
      #expect(
        log.map(\.action).reversed() == [
          "complaint.answer", "complaint.answer", "complaint.answer", "complaint.complete",
        ])
      #expect(log.allSatisfy { $0.object == id })
    }
  }
}
