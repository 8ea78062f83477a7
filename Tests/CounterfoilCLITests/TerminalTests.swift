import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Testing

@Suite struct `What a command shows on a terminal` {
  /// Foreign text may contain anything: colours, a bell character, another writing direction, line breaks.
  private static let foreign = "a\u{1B}[31mb\u{7}c\u{9B}2Jd\u{202E}e\u{2066}f\rg\nBROKEN h\u{7F}"
  private static let written =
    #"a\u001B[31mb\u0007c\u009B2Jd\u202Ee\u2066f\u000Dg\u000ABROKEN h\u007F"#

  private static func compared(_ arguments: [String] = []) async -> ConfigCommandRun.Answer {
    let report = JSONValue.members([
      ("app", "shop"), ("store", "appStore"), ("differences", .integer(1)),
      (
        "findings",
        .array([.members([("kind", "unreadable"), ("transactionId", "2000"), ("details", .string(foreign))])])
      ),
    ])
    let exchange = HTTPExchange { _, _ throws(HTTPExchangeError) in
      var response = HTTPResponse(status: 200)
      response.body = report.bytes
      return response
    }
    return await ConfigCommandRun.run(
      "", files: [:], variables: ["COUNTERFOIL_OPERATOR_KEY": "op_test", "LANG": "en"],
      arguments: ["reconcile", "--store", "app-store", "--server", "http://pay.example.com"] + arguments,
      exchange: exchange)
  }

  @Test func `is never controlled by foreign text: control characters are escaped, within one line`() async throws {
    let answer = await Self.compared()
    #expect(answer.shown.contains("details=" + Self.written + "\n"))
    #expect(!answer.shown.contains("\nBROKEN"))
  }

  @Test func `has the same content as JSON, if JSON is requested`() async throws {
    let answer = await Self.compared(["--report", "json"])
    #expect(answer.shown.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value != 0x9B })
    #expect(!answer.shown.contains("\u{202E}"))
    let read = try JSONReader.read(answer.shown.utf8)
    #expect(read["findings"]?.array?.first?["details"]?.string == Self.foreign)
  }

  @Test func `is escaped in errors, too`() async {
    let answer = await ConfigCommandRun.run("", files: [:], variables: [:], arguments: ["\u{1B}]0;title\u{7}"])
    #expect(answer.code == 2)
    #expect(answer.errors.contains(#"\u001B]0;title\u0007"#))
    #expect(!answer.errors.contains("\u{1B}"))
  }
}
