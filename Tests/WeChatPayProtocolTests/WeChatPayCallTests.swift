import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import Testing
import WeChatPayProtocol

@Suite struct `A call to WeChat Pay` {
  private let bench: WeChatPayBench
  private let query: WeChatPayCall<PaymentTransaction> = .transaction(
    outTradeNo: "ORD20251009000001", mchid: "1900007291")
  private let paid = "{\"out_trade_no\":\"ORD20251009000001\",\"trade_state\":\"SUCCESS\"}"

  init() throws { bench = try WeChatPayBench() }

  @Test func `with an unsigned answer has an unknown outcome, whatever the answer states (A12)`() throws {
    for (status, body) in [
      (200, paid), (204, ""), (404, "{\"code\":\"ORDER_NOT_EXIST\",\"message\":\"\"}"),
      (400, "{\"code\":\"ORDERPAID\",\"message\":\"\"}"), (502, "<html>bad gateway</html>"), (301, ""),
    ] {
      let unsigned = HTTPResponse(status: status, fields: ["Request-ID": "r-0"], body: Array(body.utf8))
      let outcome = bench.outcome(query, unsigned)
      guard case .unverified(let error, let said, let claim) = outcome.uncertainty else {
        Issue.record("\(status) must be unknown")
        continue
      }
      #expect(error.code == .headerMissing)
      #expect(said == status)
      #expect((claim == nil) == (200..<300).contains(status))
      #expect(outcome.answer == nil)
      #expect(outcome.requestId == "r-0")
    }
    let claim = HTTPResponse(status: 404, body: Array("{\"code\":\"ORDER_NOT_EXIST\"}".utf8))
    guard case .unverified(_, _, let claimed) = bench.outcome(query, claim).uncertainty else {
      Issue.record("it must be unknown")
      return
    }
    #expect(claimed?.code == .orderNotFound, "its claim is kept for diagnosis")
  }

  @Test func `with an answer that is a probe, stale or by an unknown key has an unknown outcome`() {
    var probe = bench.answer(200, paid)
    for (name, value) in bench.byPublicKey.probeFields(at: WeChatPayBench.now, nonce: "n", randomBytes: [1]).all {
      probe.fields.set(name, value)
    }
    #expect(bench.outcome(query, probe).uncertainty?.asksForCertificates == false)
    let stale = bench.answer(200, paid, at: WeChatPayBench.now - .seconds(301))
    #expect(bench.outcome(query, stale).answer == nil)
    var unknown = bench.answer(200, paid)
    unknown.fields.set("Wechatpay-Serial", "5157F09EFDC096DE15EBE81A47057A7232F1B8E1")
    #expect(bench.outcome(query, unknown).uncertainty?.asksForCertificates == true)
  }

  @Test func `with a signed answer that does not fit the query has an unknown outcome, and is not paid`() {
    for body in [
      "", "{}", "[]", paid.replacing("000001", with: "000002"), paid.replacing("\"SUCCESS\"", with: "1"), paid + paid,
    ] {
      guard case .unreadable = bench.outcome(query, bench.answer(200, body)).uncertainty else {
        Issue.record("\(body) must be unreadable")
        continue
      }
    }
    guard case .unreadable = bench.outcome(query, bench.answer(204, "")).uncertainty else {
      Issue.record("204 is no answer to a query")
      return
    }
  }

  @Test func `without an answer is unknown; it certainly had no effect only if it never reached the host`() {
    for error in [
      HTTPExchangeError.unreachable("dns"), .outcomeUnknown("reset"), .unreadableAnswer("large"), .cancelled,
      .refusedTarget("private"),
    ] {
      let outcome = WeChatPayOutcome<PaymentTransaction>(error)
      #expect(outcome.uncertainty == .noAnswer(error))
      let isCertain = error == .unreachable("dns") || error == .refusedTarget("private")
      #expect(outcome.uncertainty?.isCertainlyUnprocessed == isCertain)
      #expect(outcome.uncertainty?.asksForAnotherHost == (error != .cancelled && error != .refusedTarget("private")))
    }
  }

  @Test(arguments: [
    (202, "USERPAYING"), (429, "FREQUENCY_LIMITED"), (429, "RATELIMIT_EXCEEDED"), (429, ""), (500, "SYSTEM_ERROR"),
    (500, "SYSTEMERROR"), (500, "BANK_ERROR"), (503, "SERVICE_UNAVAILABLE"), (502, ""), (504, "NEVER_HEARD_OF"),
    (408, "NEVER_HEARD_OF"), (307, ""),
  ])
  func `that is refused for now has an unknown outcome: it may have taken effect`(_ status: Int, _ word: String) {
    let response = bench.answer(status, "{\"code\":\"\(word)\",\"message\":\"稍后重试\"}")
    guard case .undecided(let error) = bench.outcome(query, response).uncertainty else {
      Issue.record("\(status) \(word) must be undecided")
      return
    }
    #expect(error.word == word)
    #expect(error.status == status)
  }

  @Test func `that is refused permanently has WeChat Pay's own code and message beside our code`() throws {
    let body = """
      {"code":"PARAM_ERROR","message":"参数错误\\u0007","detail":{"location":"body","field":"/amount/total","issue":"x"}}
      """
    let error = try #require(bench.outcome(query, bench.answer(400, body)).error)
    #expect(error.code == .parameterError)
    #expect(error.word == "PARAM_ERROR")
    #expect(error.message == "参数错误?")
    #expect(error.field == "/amount/total")
    #expect(error.requestId == "08F78BB8AD061000-0")
    let mismatch = bench.outcome(query, bench.answer(500, "{\"code\":\"OPENID_MISMATCH\",\"message\":\"\"}"))
    #expect(mismatch.error?.code == .openidMismatch)
  }

  @Test func `with a wrong signature returns the text that WeChat Pay computed, and does not print it`() throws {
    let body = """
      {"code":"SIGN_ERROR","message":"签名错误","detail":{"detail":{"issue":"sign not match"},"field":"signature",
      "location":"authorization","sign_information":{"method":"GET","url":"/v3/x","sign_message_length":90,
      "truncated_sign_message":"GET\\n/v3/x\\n1554208460\\n"}}}
      """
    let error = try #require(bench.outcome(query, bench.answer(401, body)).error)
    #expect(error.code == .signError)
    #expect(error.signInformation?.messageLength == 90)
    #expect(error.signInformation?.url == "/v3/x")
    #expect(error.signInformation?.truncatedMessage == "GET\n/v3/x\n1554208460\n")
    #expect(!error.description.contains("1554208460"))
  }

  @Test func `is signed over exactly what is sent, and names the platform key`() throws {
    let key = try #require(bench.keys.preferred(at: WeChatPayBench.now)).identifier
    let close = WeChatPayCall.close(outTradeNo: "A|B*1", mchid: "1900007291")
    let request = close.request(
      by: bench.merchant, to: .primary, platformKey: key, at: WeChatPayBench.now, nonce: WeChatPayBench.nonce)
    #expect(
      request.target == "https://api.mch.weixin.qq.com/v3/pay/transactions/out-trade-no/A%7CB%2A1/close")
    #expect(request.method == "POST")
    #expect(request.fields["Wechatpay-Serial"] == WeChatPayVectors.publicKeyIdentifier)
    #expect(request.fields["Content-Type"] == "application/json")
    #expect(request.fields["Accept"] == "application/json")
    #expect(request.fields["User-Agent"]?.isEmpty == false)
    #expect(request.body == Array("{\"mchid\":\"1900007291\"}".utf8))
    let signature = try RequestSignature(authorization: try #require(request.fields["Authorization"]))
    try signature.verify(
      method: "POST", target: "/v3/pay/transactions/out-trade-no/A%7CB%2A1/close", body: request.body,
      key: bench.merchant.privateKey.publicKey, at: WeChatPayBench.now)
    let get = query.request(
      by: bench.merchant, to: .secondary, platformKey: nil, at: WeChatPayBench.now, nonce: WeChatPayBench.nonce)
    #expect(
      get.target
        == "https://api2.mch.weixin.qq.com/v3/pay/transactions/out-trade-no/ORD20251009000001?mchid=1900007291")
    #expect(get.fields["Wechatpay-Serial"] == nil)
    #expect(get.body.isEmpty)
  }
}

@Suite struct `An error code of WeChat Pay` {
  /// WeChat Pay's codes with their status, as its documentation lists them.
  private static let documented: [(Int, String, WeChatPayErrorCode)] = [
    (202, "USER_PAYING", .userPaying), (202, "USERPAYING", .userPaying), (400, "PARAM_ERROR", .parameterError),
    (400, "INVALID_REQUEST", .invalidRequest), (400, "APPID_MCHID_NOT_MATCH", .appidMerchantMismatch),
    (400, "MCH_NOT_EXISTS", .merchantUnknown), (404, "MCH_NOT_EXISTS", .merchantUnknown),
    (400, "ORDER_CLOSED", .orderClosed), (400, "ORDERCLOSED", .orderClosed), (400, "ORDERPAID", .orderPaid),
    (400, "ORDER_PAID", .orderPaid), (400, "NO_STATEMENT_EXIST", .noStatement),
    (400, "STATEMENT_CREATING", .statementCreating), (401, "SIGN_ERROR", .signError),
    (403, "ACCOUNT_ERROR", .accountError), (403, "NO_AUTH", .noAuthority), (403, "NOT_ENOUGH", .notEnough),
    (403, "NOTENOUGH", .notEnough), (403, "OUT_TRADE_NO_USED", .outTradeNoUsed), (403, "RULE_LIMIT", .ruleLimit),
    (403, "RULELIMIT", .ruleLimit), (403, "TRADE_ERROR", .tradeError),
    (403, "USER_ACCOUNT_ABNORMAL", .userAccountAbnormal), (403, "REQUEST_BLOCKED", .requestBlocked),
    (404, "ORDER_NOT_EXIST", .orderNotFound), (404, "ORDERNOTEXIST", .orderNotFound),
    (404, "RESOURCE_NOT_EXISTS", .resourceNotFound), (405, "", .unsupportedCall), (406, "", .unsupportedCall),
    (415, "", .unsupportedCall), (429, "FREQUENCY_LIMITED", .frequencyLimited),
    (429, "FREQUENCY_LIMIT", .frequencyLimited), (429, "RATELIMIT_EXCEEDED", .frequencyLimited),
    (429, "ANYTHING", .frequencyLimited), (500, "SYSTEM_ERROR", .systemError), (500, "SYSTEMERROR", .systemError),
    (500, "BANK_ERROR", .bankError), (500, "OPENID_MISMATCH", .openidMismatch),
    (503, "SERVICE_UNAVAILABLE", .serviceUnavailable), (502, "", .serviceUnavailable), (504, "", .serviceUnavailable),
    (400, "NEVER_HEARD_OF", .otherError), (418, "", .otherError), (500, "NEVER_HEARD_OF", .otherFailure),
  ]

  @Test func `is known in each of its spellings, and an unknown one by its status`() {
    for (status, word, code) in Self.documented {
      #expect(WeChatPayErrorCode(word: word, status: status) == code, "\(status) \(word)")
      #expect(WeChatPayErrorCode(word: word.lowercased(), status: status) == code)
    }
    #expect(Set(Self.documented.map(\.2)) == Set(WeChatPayErrorCode.allCases))
  }

  @Test func `is retried exactly where time can help`() {
    let later: Set<WeChatPayErrorCode> = [
      .userPaying, .noStatement, .statementCreating, .notEnough, .orderNotFound, .frequencyLimited, .systemError,
      .bankError, .serviceUnavailable, .otherFailure,
    ]
    for code in WeChatPayErrorCode.allCases { #expect((code.retry == .later) == later.contains(code)) }
  }
}

@Suite struct `The hosts of WeChat Pay` {
  private let now = WeChatPayBench.now

  @Test func `are called in their order, and one that failed is skipped for a minute`() {
    var selection = HostSelection()
    #expect(selection.order(at: now) == [.primary, .secondary, .otherName])
    selection.failed(.primary, at: now)
    #expect(selection.order(at: now + .milliseconds(59_999)) == [.secondary, .otherName, .primary])
    #expect(selection.take(at: now + .seconds(1)) == .secondary)
    selection.failed(.secondary, at: now + .seconds(1))
    #expect(selection.order(at: now + .seconds(2)) == [.otherName, .primary, .secondary])
    selection.failed(.otherName, at: now + .seconds(2))
    #expect(selection.order(at: now + .seconds(3)) == [.primary, .secondary, .otherName], "one host must be called")
  }

  @Test func `are tried again by one caller at a time once the minute is over`() {
    var selection = HostSelection()
    selection.failed(.primary, at: now)
    let later = now + .seconds(60)
    #expect(selection.take(at: later) == .primary)
    #expect(selection.take(at: later) == .secondary, "one caller tries it, the others wait for the result")
    selection.succeeded(.primary)
    #expect(selection.take(at: later) == .primary)
  }

  @Test func `decide between production and simulation, whatever they answer (invariant 8)`() throws {
    #expect(WeChatPayHost.environment(of: WeChatPayHost.mainland) == .production)
    #expect(WeChatPayHost.environment(of: [.hongKong]) == .production)
    let simulator = try #require(WeChatPayHost("http://127.0.0.1:8099"))
    #expect(WeChatPayHost.environment(of: [simulator]) == .simulated)
    #expect(WeChatPayHost.environment(of: [.primary, simulator]) == .simulated)
    #expect(WeChatPayHost.environment(of: []) == .simulated)
    #expect(WeChatPayHost("https://api.mch.weixin.qq.com") == .primary)
    #expect(WeChatPayHost("http://api.mch.weixin.qq.com")?.isGenuine == false)
    for wrong in [
      "", "api.mch.weixin.qq.com", "https://", "https://a/b", "https://a@b", "ftp://a", "https://a?b", "https://A b",
    ] {
      #expect(WeChatPayHost(wrong) == nil, "\(wrong)")
    }
  }
}
