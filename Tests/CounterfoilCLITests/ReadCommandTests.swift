import CounterfoilCLI
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Testing

@Suite struct `The commands with which an operator looks` {
  private static func run(
    _ arguments: [String], answers: [String: JSONValue] = [:], status: Int = 200, key: String? = "op_test",
    language: String = "en"
  ) async -> ConfigCommandRun.Answer {
    let exchange = HTTPExchange { request, _ throws(HTTPExchangeError) in
      guard request.method == "GET", request.fields["Authorization"] == "Bearer op_test",
        let answer = answers[String(request.target.dropFirst("http://pay.example.com/v1/operator".count))]
      else { throw .unreachable(request.target) }
      var response = HTTPResponse(status: status)
      response.body = answer.bytes
      return response
    }
    var variables = ["LANG": language]
    variables["COUNTERFOIL_OPERATOR_KEY"] = key
    return await ConfigCommandRun.run("", files: [:], variables: variables, arguments: arguments, exchange: exchange)
  }

  private static let server = ["--server", "http://pay.example.com"]

  private static func hit(_ id: String, environment: String = "production", kind: String = "payment") -> JSONValue {
    .members([
      ("kind", .string(kind)), ("app", "shop"), ("environment", .string(environment)), ("store", "appStore"),
      ("id", .string(id)), ("title", "1 × \u{1B}[31mcoins"), ("state", "held"),
    ])
  }

  private static func found(_ hits: [JSONValue]) -> JSONValue {
    .members([("tried", .array(["transaction", "user"])), ("hits", .array(hits)), ("more", .bool(false))])
  }

  @Test(arguments: [
    ["search"], ["search", ""], ["search", "a", "b"], ["search", String(repeating: "a", count: 129)],
    ["search", "a\nb"],
    ["payments"], ["payments", "list", "1"], ["payments", "show"], ["users", "show"], ["users", "show", ""],
    ["users", "show", "a", "--limit", "0"], ["users", "show", "a", "--force"], ["users", "erase", "a"],
    ["users", "erase", "a", "--reason", "r", "--limit", "1"], ["users", "forget", "a", "--reason", "r"],
    ["search", "a", "--app", "shop"],
  ])
  func `refuse invalid arguments as wrong usage`(arguments: [String]) async {
    #expect(await Self.run(arguments + Self.server).code == 2)
  }

  @Test func `need an operator's key for another server`() async {
    let answer = await Self.run(["search", "1001"] + Self.server, key: nil)
    #expect(answer.code == 2 && answer.errors.contains("COUNTERFOIL_OPERATOR_KEY"))
  }

  @Test func `fail with the server's own words, or when it does not answer`() async {
    let refusal = JSONValue.members([("title", "No key."), ("remedy", "Make one."), ("code", "credential_invalid")])
    let refused = await Self.run(
      ["users", "show", "al/ice"] + Self.server, answers: ["/users/al%2Fice?limit=20": refusal], status: 401)
    #expect(refused.code == 1 && refused.errors.contains("No key. Make one. (credential_invalid)"))
    #expect(await Self.run(["search", "1001"] + Self.server).code == 1)
  }

  @Test func `search shows each hit on a line that controls no terminal`() async {
    let one = await Self.run(
      ["search", " １００１ "] + Self.server, answers: ["/search?q=1001": Self.found([Self.hit("1001")])])
    #expect(one.code == 0)
    #expect(one.shown == "payment  shop  production  appStore  1001  1 × \\u001B[31mcoins  held\n")
    let json = await Self.run(
      ["search", "1001", "--json"] + Self.server, answers: ["/search?q=1001": Self.found([Self.hit("1001")])])
    #expect(json.shown == Self.found([Self.hit("1001")]).text + "\n")
  }

  @Test func `search says what was tried when nothing is found`() async {
    let none = await Self.run(["search", "9"] + Self.server, answers: ["/search?q=9": Self.found([])])
    #expect(none.code == 1 && none.shown.isEmpty && none.errors.contains("Tried: transaction, user."))
    let chinese = await Self.run(
      ["search", "9"] + Self.server, answers: ["/search?q=9": Self.found([])], language: "zh_CN.UTF-8")
    #expect(chinese.errors.contains("已查找"))
  }

  @Test func `payments show finds the environment of a transaction, and refuses to guess among several`() async {
    let story = JSONValue.members([
      ("transactionId", "1001"),
      (
        "payment",
        .members([
          ("transactionId", "1001"), ("environment", "sandbox"), ("state", "held"), ("acts", .array(["retry"])),
        ])
      ), ("advice", "Retry it."),
      ("evidence", .array([.members([("origin", "client"), ("bytes", .integer(7)), ("receivedAt", "2026-03-01")])])),
      ("journal", .array([.members([("at", "2026-03-01"), ("what", "payment.held"), ("details", .object([]))])])),
    ])
    let place = "/payments/appStore/sandbox/1001"
    let shown = await Self.run(
      ["payments", "show", "1001"] + Self.server,
      answers: ["/search?q=1001": Self.found([Self.hit("1001", environment: "sandbox")]), place: story])
    #expect(shown.code == 0)
    #expect(
      shown.shown == """
        1001  sandbox  held
          what to do  Retry it.
          acts  retry
          evidence  2026-03-01  client  7
          2026-03-01  payment.held

        """)
    let named = await Self.run(
      ["payments", "show", "1001", "--store", "appStore", "--environment", "sandbox", "--json"] + Self.server,
      answers: [place: story])
    #expect(named.shown == story.text + "\n")
    let hits = Self.found([Self.hit("1001"), Self.hit("1001", environment: "sandbox")])
    let several = await Self.run(["payments", "show", "1001"] + Self.server, answers: ["/search?q=1001": hits])
    #expect(several.code == 1 && several.errors.contains("appStore production, appStore sandbox"))
    let none = await Self.run(
      ["payments", "show", "9"] + Self.server, answers: ["/search?q=9": Self.found([Self.hit("9", kind: "order")])])
    #expect(none.code == 1 && none.errors.contains("there is no payment 9"))
  }

  @Test func `users show prints what a user has`() async {
    let story = JSONValue.members([
      ("environment", "production"),
      ("balances", .array([.members([("unit", "coin"), ("amount", .integer(300))])])),
      ("refundRatio", .members([("granted", .integer(3)), ("refunded", .integer(1))])),
      ("orders", .array([.members([("id", "o1"), ("state", "paid")])])), ("next", "o1"),
      ("payments", .array([.members([("transactionId", "1001"), ("state", "fulfilled")])])),
      ("morePayments", .bool(true)),
    ])
    let shown = await Self.run(
      ["users", "show", "alice", "--limit", "5", "--environment", "production"] + Self.server,
      answers: ["/users/alice?limit=5&environment=production": story])
    #expect(
      shown.shown == """
        alice  production
          balance  300  coin
          refunded  1 of 3 purchases
          order  o1  paid
          more orders after o1
          payment  1001  fulfilled
          and more payments

        """)
  }
}
