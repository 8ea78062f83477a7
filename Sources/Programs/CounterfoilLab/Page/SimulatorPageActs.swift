import AppStoreProtocol
import Console
import CounterfoilCLI
import HTTPMessages
import PaymentPrimitives
import SimulationKit
import StrictJSON
import Synchronization

/// What the forms of the simulator's page do.
struct SimulatorPageActs {
  /// What the page says afterwards.
  struct Said {
    var text = ""
    var isGood = true
  }

  /// What a person does at WeChat Pay's cashier.
  static let visits = ["pay", "payAndLeave", "cancel"]
  /// How far the clock moves, in seconds.
  static let steps: [(seconds: Int64, words: BilingualText)] = [
    (3600, BilingualText("1 hour", "1 小时")), (86_400, BilingualText("1 day", "1 天")),
    (7 * 86_400, BilingualText("7 days", "7 天")), (31 * 86_400, BilingualText("31 days", "31 天")),
  ]

  let page: SimulatorPage
  let language: Language

  func act(_ form: WebForm) async throws -> Said {
    func need(_ name: String) throws -> String {
      guard let value = form[name], value.utf8.count <= 800 else { throw UsageError("The field \(name) is needed.") }
      return value
    }
    switch form["do"] {
    case "happen": return try await happen(try need("what"), user: try need("user"))
    case "visit":
      return try await visit(try need("product"), user: try need("user"), action: try need("action"))
    case "refund": return try await refund(try need("order"))
    case "complain":
      let answer = try await page.ask(
        "POST", "/wechat-pay/complaints",
        sending: .members([
          ("mchid", .string(try need("mchid"))), ("out_trade_no", .string(try need("order"))),
          ("text", .string(try need("text"))), ("refund", form["refund"].flatMap { Int64($0) }.map { .integer($0) }),
        ]))
      return Said(text: "complaint  \(answer["complaint_id"]?.string ?? "")")
    case "complain-again":
      return try await done(
        "POST", "/wechat-pay/complaints/\(encoded(try need("complaint")))/again",
        sending: .members([("text", .string(try need("text")))]))
    case "withdraw": return try await done("POST", "/wechat-pay/complaints/\(encoded(try need("complaint")))/withdraw")
    case "apple":
      let (transaction, verb) = (encoded(try need("transaction")), encoded(try need("verb")))
      return try await done("POST", "/transactions/\(transaction)/\(verb)", sending: .object([]))
    case "clock": return try await move(try need("seconds"))
    case "fault":
      return try await done(
        "POST", try need("store") == "weChatPay" ? "/wechat-pay/faults" : "/api-faults",
        sending: .members([("fault", .string(try need("fault"))), ("operation", form["operation"].map { .string($0) })])
      )
    case "forget":
      _ = try await page.ask("DELETE", "/wechat-pay/faults")
      return try await done("DELETE", "/api-faults")
    case "scenario": return play(try need("scenario"))
    default: throw UsageError("The page does not know that.")
    }
  }

  private func encoded(_ text: String) -> String { RequestTarget.encode(text) }

  private func done(_ method: String, _ target: String, sending body: JSONValue? = nil) async throws -> Said {
    let answer = try await page.ask(method, target, sending: body)
    return Said(text: "\(method) /simulator\(target)\n\(answer == .null ? "" : answer.text)")
  }

  /// What `trigger --server` makes happen at the App Store.
  private func happen(_ name: String, user: String) async throws -> Said {
    guard let happening = TriggerAtServer.Happening(rawValue: name) else { throw UsageError("There is no \(name).") }
    let lines = Mutex("")
    try await TriggerAtServer(
      server: SimulatorPage.serverOrigin, simulator: SimulatorPage.simulatorOrigin, key: page.secretKey, user: user,
      product: nil, bundleId: SimulatedProfile.identity.bundleId, exchange: page.exchange
    ) { line in lines.withLock { $0 += line } }.run(happening)
    return Said(text: lines.withLock { $0 })
  }

  /// A user orders, and goes to WeChat Pay's cashier.
  private func visit(_ product: String, user: String, action: String) async throws -> Said {
    guard Self.visits.contains(action) else { throw UsageError("There is no \(action).") }
    let order = try await page.askServer(
      "POST", "/v1/orders",
      sending: .members([
        ("productId", .string(product)), ("store", "weChatPay"), ("tradeType", "NATIVE"), ("userId", .string(user)),
        ("platform", "web"),
      ]))
    guard let id = order["id"]?.string, let code = order["weChatPay"]?["codeUrl"]?.string else {
      throw CommandFailure("The order has no code to scan.")
    }
    let result = try await page.ask(
      "POST", "/wechat-pay/cashier", sending: .members([("code_url", .string(code)), ("action", .string(action))]))
    return Said(text: "ordered  \(id)  \(product)  \(user)\n\(action)  \(result.text)")
  }

  private func refund(_ number: String) async throws -> Said {
    guard let order = OrderIdentifier(number) else { throw UsageError("The order is none.") }
    let answer = try await page.askServer(
      "POST", "/v1/orders/\(order)/refund", sending: .object([]),
      fields: ["Idempotency-Key": page.dependencies.randomBytes(16).hexadecimal])
    return Said(text: "refund  \(answer["id"]?.string ?? "")  \(answer["state"]?.string ?? "")")
  }

  private func move(_ seconds: String) async throws -> Said {
    guard let step = Self.steps.first(where: { "\($0.seconds)" == seconds }) else { throw UsageError("Choose a step.") }
    let body = JSONValue.members([("advanceSeconds", .integer(step.seconds))])
    let apple = try await page.ask("POST", "/clock", sending: body)
    let weChat = try await page.ask("POST", "/wechat-pay/clock", sending: body)
    return Said(text: "App Store   \(apple["now"]?.string ?? "")\nWeChat Pay  \(weChat["now"]?.string ?? "")")
  }

  private func play(_ name: String) -> Said {
    guard let scenario = Scenario.all.first(where: { $0.name == name }) else {
      return Said(text: "There is no \(name).", isGood: false)
    }
    let report = scenario.run(seed: 1, substitutions: Substitutions(), keepsTrace: false)
    return Said(text: TriggerText(scenario, report, language: language).text, isGood: report.isKept)
  }
}
