import CounterfoilCLI
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Testing

@Suite struct `The command redirect-refund` {
  private static let card = """
    {"bank": "CMB_DEBIT", "account": "6225880123456789", "holder": "张三"}
    """

  /// The command, and a server that answers so if it is asked for this card, or for the merchant's account.
  private static func run(
    _ arguments: [String], redirected: Bool = true, state: String = "underWay"
  ) async -> ConfigCommandRun.Answer {
    let exchange = HTTPExchange { request, _ throws(HTTPExchangeError) in
      let asked = try? JSONReader.read(request.body)
      let known = try? JSONReader.read(Array(card.utf8))
      let isCard = asked?["destination"] == "payerCard" && asked?["card"] == known
      guard request.method == "POST", request.target == "http://pay.example.com/v1/operator/refunds/R%2F1/redirect",
        asked?["reason"] == "closed", isCard || asked?["destination"] == "merchantAccount" && asked?["card"] == nil
      else { throw .unreachable(request.target) }
      return HTTPResponse(
        status: 200,
        json: .members([("redirected", .bool(redirected)), ("refund", .members([("state", .string(state))]))]))
    }
    return await ConfigCommandRun.run(
      "", files: ["card.json": Array(card.utf8)], variables: ["LANG": "en", "COUNTERFOIL_OPERATOR_KEY": "op_test"],
      arguments: ["redirect-refund"] + arguments + ["--server", "http://pay.example.com"], exchange: exchange)
  }

  @Test(arguments: [
    [], ["R1"], ["R1", "--reason", "x"], ["R1", "--to", "nowhere", "--reason", "x"],
    ["R1", "--to", "payer-card", "--reason", "x"], ["R1", "--to", "merchant-account"],
    ["R1", "--to", "merchant-account", "--card", "card.json", "--reason", "x"],
    ["R1", "--to", "payer-card", "--card", "none.json", "--reason", "x"],
  ])
  func `refuses invalid arguments as wrong usage`(arguments: [String]) async {
    #expect(await Self.run(arguments).code == 2)
  }

  @Test func `sends the card from the file, or names the merchant's account, and says what became of it`() async {
    let toCard = ["R/1", "--to", "payer-card", "--card", "card.json", "--reason", "closed"]
    let sent = await Self.run(toCard)
    #expect(sent.code == 0 && sent.shown == "on its way: underWay\n", "\(sent)")
    let own = await Self.run(
      ["R/1", "--to", "merchant-account", "--reason", "closed"], redirected: false, state: "done")
    #expect(own.code == 1 && own.shown == "nothing was sent: the refund is done\n", "\(own)")
  }
}
