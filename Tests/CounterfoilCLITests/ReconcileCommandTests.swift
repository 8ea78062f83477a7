import CounterfoilCLI
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Testing

@Suite struct `The command reconcile` {
  private static let bill = JSONValue.members([
    ("app", "shop"), ("store", "weChatPay"), ("day", "2026-03-01"),
    ("payments", .members([("count", .integer(2)), ("amount", .integer(1200))])),
    ("refunds", .members([("count", .integer(0)), ("amount", .integer(0))])), ("foreignLines", .integer(1)),
    ("healed", .integer(1)), ("differences", .integer(1)),
    (
      "findings",
      .array([
        .members([("kind", "missedPayment"), ("healed", .bool(true)), ("transactionId", "42000001")]),
        .members([
          ("kind", "orderDiffers"), ("healed", .bool(false)), ("transactionId", "42000002"),
          ("billAmount", .integer(600)), ("details", "=1+1, \"said\" somebody"),
        ]),
      ])
    ),
  ])

  private static func apple(stoppedBy: String? = nil) -> JSONValue {
    .members([
      ("app", "shop"), ("store", "appStore"), ("notifications", .integer(7)), ("customers", .integer(2)),
      ("transactions", .integer(9)), ("quietOrders", .integer(1)), ("healed", .integer(1)),
      ("differences", .integer(0)),
      ("stoppedBy", stoppedBy.map(JSONValue.string)),
      (
        "findings",
        .array([
          .members([
            ("kind", "missedPayment"), ("healed", .bool(true)), ("transactionId", "2000"), ("details", "fulfilled"),
          ])
        ])
      ),
    ])
  }

  private static func run(
    _ arguments: [String], answer: JSONValue? = nil, status: Int = 200, language: String = "en"
  ) async -> ConfigCommandRun.Answer {
    let exchange = HTTPExchange { request, _ throws(HTTPExchangeError) in
      guard let answer, request.target == "http://pay.example.com/v1/operator/reconciliations",
        request.fields["Authorization"] == "Bearer op_test"
      else { throw .unreachable("nobody") }
      var response = HTTPResponse(status: status)
      response.body = answer.bytes
      return response
    }
    return await ConfigCommandRun.run(
      "", files: [:], variables: ["COUNTERFOIL_OPERATOR_KEY": "op_test", "LANG": language],
      arguments: ["reconcile"] + arguments, exchange: exchange)
  }

  private static let server = ["--server", "http://pay.example.com"]

  @Test(arguments: [
    [], ["--store", "nowhere"], ["--store", "wechat-pay"], ["--store", "wechat-pay", "--date", "yesterday"],
    ["--store", "app-store", "--date", "2026-03-01"], ["--store", "app-store", "--report", "prose"],
  ])
  func `refuses invalid arguments as wrong usage`(arguments: [String]) async {
    #expect(await Self.run(arguments).code == 2)
  }

  @Test func `fails with the server's own error text if the server refuses`() async {
    let answer = await Self.run(
      ["--store", "app-store"] + Self.server, answer: .members([("title", "No key."), ("remedy", "Configure it.")]),
      status: 409)
    #expect(answer.code == 1)
    #expect(answer.errors.contains("409. No key. Configure it."))
  }

  @Test func `shows a bill's comparison in words, and ends with 1 while differences are left`() async {
    let answer = await Self.run(["--store", "wechat-pay", "--date", "2026-03-01"] + Self.server, answer: Self.bill)
    #expect(answer.code == 1)
    #expect(answer.shown.contains("shop, WeChat Pay, 2026-03-01 (Beijing)"))
    #expect(answer.shown.contains("payments in the bill  2, 1200 fen"))
    #expect(answer.shown.contains("  missedPayment healed=true transactionId=42000001\n"))
    let chinese = await Self.run(
      ["--store", "wechat-pay", "--date", "2026-03-01"] + Self.server, answer: Self.bill, language: "zh_CN.UTF-8")
    #expect(chinese.shown.contains("账单中的支付    2 笔，1200 分"))
  }

  @Test func `writes rows for a spreadsheet: quoted where they must be, and none of them a formula`() async {
    let answer = await Self.run(
      ["--store", "wechat-pay", "--date", "2026-03-01", "--report", "csv"] + Self.server, answer: Self.bill)
    #expect(
      answer.shown == """
        kind,healed,orderId,transactionId,refund,billAmount,ourAmount,details\r
        missedPayment,true,,42000001,,,,\r
        orderDiffers,false,,42000002,,600,,"'=1+1, ""said"" somebody"\r

        """)
  }

  @Test func `shows a comparison with Apple's records, and ends with 1 if Apple stopped answering`() async {
    let whole = await Self.run(["--store", "app-store"] + Self.server, answer: Self.apple())
    #expect(whole.code == 0)
    #expect(whole.shown.contains("customers read        2, 9 transactions"))
    #expect(whole.shown.contains("  missedPayment healed=true transactionId=2000 details=fulfilled\n"))
    let cut = await Self.run(["--store", "app-store"] + Self.server, answer: Self.apple(stoppedBy: "no answer"))
    #expect(cut.code == 1)
    #expect(cut.shown.contains("stopped, goes on there no answer"))
    let json = await Self.run(["--store", "app-store", "--report", "json"] + Self.server, answer: Self.apple())
    #expect(json.shown == Self.apple().text + "\n")
  }

  @Test func `shows what the fund-flow bill says beside the trade bill, or why there is none`() async {
    func sum(_ count: Int, _ amount: Int64) -> JSONValue {
      .members([("count", .integer(count)), ("amount", .integer(amount))])
    }
    func run(_ fundFlow: JSONValue, _ language: String = "en") async -> ConfigCommandRun.Answer {
      let answer = JSONValue.object((Self.bill.object ?? []) + [JSONMember("fundFlow", fundFlow)])
      return await Self.run(
        ["--store", "wechat-pay", "--date", "2026-03-01"] + Self.server, answer: answer, language: language)
    }
    let compared = JSONValue.members([
      ("state", "compared"), ("opening", .integer(0)), ("closing", .integer(297)), ("payments", sum(1, 600)),
      ("refunds", sum(1, 100)), ("returnedRefunds", sum(0, 0)), ("fees", sum(1, 4)), ("returnedFees", sum(1, 1)),
      ("topUps", sum(0, 0)), ("withdrawals", sum(1, 200)), ("others", sum(0, 0)), ("differences", .integer(1)),
      (
        "findings",
        .array([
          .members([
            ("kind", "balanceDiffers"), ("number", "4200"), ("flowAmount", .integer(7)),
            ("expectedAmount", .integer(8)),
          ])
        ])
      ),
    ])
    let shown = await run(compared)
    #expect(shown.shown.contains("    balance             0 to 297\n"))
    #expect(shown.shown.contains("    fees                4 in 1, came back 1 in 1\n"))
    #expect(shown.shown.contains("    balanceDiffers number=4200 flowAmount=7 expectedAmount=8\n"))
    #expect(await run(compared, "zh_CN.UTF-8").shown.contains("充值            0 笔，共 0，提现 1 笔，共 200\n"))
    let later = await run(.members([("state", "later"), ("reason", "No\u{1B}answer.")]))
    #expect(later.shown.contains("fund-flow bill        later: No\\u001Banswer.\n"))
  }
}
