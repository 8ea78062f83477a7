import CounterfoilCLI
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Testing

@Suite struct `The command that erases a user` {
  private static func run(
    _ arguments: [String], answer: JSONValue, status: Int, body expected: String, language: String = "en"
  ) async -> ConfigCommandRun.Answer {
    let exchange = HTTPExchange { request, _ throws(HTTPExchangeError) in
      guard request.method == "POST", request.fields["Authorization"] == "Bearer op_test",
        request.target == "http://pay.example.com/v1/operator/users/al%2Fice/erase",
        String(decoding: request.body, as: UTF8.self) == expected
      else { throw .unreachable(request.target) }
      var response = HTTPResponse(status: status)
      response.body = answer.bytes
      return response
    }
    return await ConfigCommandRun.run(
      "", files: [:], variables: ["LANG": language, "COUNTERFOIL_OPERATOR_KEY": "op_test"],
      arguments: ["users", "erase", "al/ice", "--server", "http://pay.example.com"] + arguments, exchange: exchange)
  }

  @Test func `fails with what is open`() async {
    let refusal = JSONValue.members([
      ("title", "Something is open."), ("detail", "Open: deliveries."), ("code", "erasure_not_possible"),
    ])
    let refused = await Self.run(
      ["--reason", "asked"], answer: refusal, status: 409, body: #"{"reason":"asked"}"#)
    #expect(refused.code == 1 && refused.errors.contains("Open: deliveries. (erasure_not_possible)"))
  }

  @Test(arguments: [201, 200])
  func `prints the alias, and sends force only if it is asked for`(status: Int) async {
    let answer = JSONValue.members([
      ("userId", "erased_5f0c6c2e9a7b41d3"), ("orders", .integer(2)), ("payments", .integer(1)),
    ])
    let body = #"{"reason":"asked","force":true}"#
    let done = await Self.run(["--reason", "asked", "--force"], answer: answer, status: status, body: body)
    #expect(done.code == 0)
    #expect(done.shown == "erased; 2 orders and 1 payments are kept under erased_5f0c6c2e9a7b41d3\n")
    let json = await Self.run(["--reason", "asked", "--force", "--json"], answer: answer, status: status, body: body)
    #expect(json.shown == answer.text + "\n")
  }
}
