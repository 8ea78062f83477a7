import AppStoreProtocol
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestFixtures
import Testing

@Suite struct `An answer of the App Store Server API` {
  private typealias Bench = ServerAPIBench

  private func outcome(_ response: HTTPResponse) throws -> AppStoreServerOutcome<TransactionInfoResponse> {
    try AppStoreServerCall.transactionInfo("1234").outcome(of: response, at: Bench.now)
  }

  @Test func `that is a gateway's page, incomplete or malformed leaves the outcome unknown`() throws {
    let html: HTTPFields = ["Content-Type": "text/html"]
    let bodies = [
      "", "<html><body>Bad gateway</body></html>", "{", "[]", "null", "{\"signedTransactionInfo\":", "{}",
      "{\"signedTransactionInfo\":1}", "{\"signedTransactionInfo\":null}",
      "{\"signedTransactionInfo\":\"a\",\"signedTransactionInfo\":\"b\"}",
      "{\"signedTransactionInfo\":\"a\",\"x\":" + String(repeating: "[", count: 40)
        + String(repeating: "]", count: 40) + "}",
      "{\"signedTransactionInfo\":\"" + String(repeating: "a", count: 4 << 20) + "\"}",
    ]
    for body in bodies {
      guard case .unknown(.unreadable(200, _)) = try outcome(Bench.response(200, body)) else {
        Issue.record("unreadable: \(body.prefix(60))")
        continue
      }
    }
    for status in [204, 301, 302, 400, 403, 404, 409, 418] {
      guard case .unknown(.unreadable(status, _)) = try outcome(Bench.response(status, "<html>", fields: html)) else {
        Issue.record("a page with status \(status) must leave the outcome unknown")
        continue
      }
    }
    for status in [500, 502, 503, 504, 599] {
      guard case .unknown(.undecided(let error)) = try outcome(Bench.response(status, "<html>", fields: html)) else {
        Issue.record("\(status) must leave the outcome unknown")
        continue
      }
      #expect(error.code == .failed)
      #expect(!AppStoreServerUncertainty.undecided(error).isCertainlyUnprocessed)
    }
    #expect(AppStoreServerOutcome<TransactionInfoResponse>.unknown(.noAnswer(.outcomeUnknown(""))).answer == nil)
  }

  @Test func `with status 401 means not authorized, whatever its body`() throws {
    for body in ["", "Unauthenticated\n", "<html>", "{\"errorCode\":4040010}"] {
      let error = try #require(try outcome(Bench.response(401, body)).error)
      #expect(error.code == .notAuthorized)
      #expect(!error.meansUnknownHere)
      #expect(error.code.retry == .never)
    }
  }

  @Test func `with status 429 states when to retry, in milliseconds since 1970`() throws {
    func after(_ text: String?) throws -> Timestamp? {
      var response = Bench.error(4_290_000, 429)
      response.fields.set("Retry-After", text)
      guard case .unknown(let why) = try outcome(response) else { return nil }
      #expect(why.isCertainlyUnprocessed)
      return why.retryAfter
    }
    #expect(try after("1795000060123") == Bench.now + .seconds(60))
    // A proxy in between means seconds.
    #expect(try after("60") == Bench.now + .seconds(60))
    for text in [nil, "", "-1", "soon", "Fri, 31 Dec 1999 23:59:59 GMT", "99999999999999999999"] {
      #expect(try after(text) == nil, "\(text ?? "nothing")")
    }
  }

  @Test func `is retried for six of Apple's error numbers, and for an unknown number by its status`() throws {
    for number in AppStoreServerErrorNumber.allCases {
      let status = Int(number.rawValue / 10_000)
      let result = try outcome(Bench.error(number.rawValue, status))
      let error: AppStoreServerError
      switch result {
      case .refused(let certain): error = certain
      case .unknown(.undecided(let undecided)): error = undecided
      default:
        Issue.record("\(number) must be read")
        continue
      }
      #expect(error.number == .known(number))
      #expect(error.code == number.code)
      let later: Set<AppStoreServerErrorNumber> = [
        .accountNotFoundRetryable, .appNotFoundRetryable, .originalTransactionIdNotFoundRetryable,
        .rateLimitExceeded, .generalInternal, .generalInternalRetryable,
      ]
      #expect((error.code.retry == .later) == later.contains(number), "\(number)")
      #expect(error.isCertain == !later.contains(number), "\(number)")
      #expect(!error.code.remedy.english.isEmpty && !error.code.remedy.chinese.isEmpty)
      #expect(
        error.meansUnknownHere == (number == .transactionIdNotFound || number == .originalTransactionIdNotFound))
    }
    #expect(AppStoreServerErrorNumber.allCases.count == 88)
    for (number, status, code) in [
      (9_990_000, 400, AppStoreServerErrorCode.otherError), (4_000_999, 400, .otherError),
      (4_040_999, 404, .resourceNotFound), (4_291_111, 429, .frequencyLimited), (5_009_999, 500, .failed),
      (4_010_001, 401, .notAuthorized), (-1, 400, .otherError),
    ] as [(Int64, Int, AppStoreServerErrorCode)] {
      let result = try outcome(Bench.error(number, status))
      let error: AppStoreServerError?
      if case .unknown(.undecided(let undecided)) = result { error = undecided } else { error = result.error }
      #expect(error?.number == .raw(number))
      #expect(error?.code == code, "\(number)")
    }
  }

  @Test func `maps to our codes as this table states, with one number for each code`() {
    let table: [(Int64, AppStoreServerErrorCode)] = [
      (4_000_002, .appUnknown), (4_000_048, .identifierRefused), (4_040_005, .transactionNotFound),
      (4_040_019, .appTransactionNotFound), (4_040_001, .accountNotFound), (4_040_006, .notFoundYet),
      (4_000_012, .spanRefused), (4_000_017, .pageRefused), (4_000_019, .filterRefused), (4_000_183, .tokenRefused),
      (4_030_007, .familyShared), (4_000_044, .consumptionRefused), (4_030_005, .extensionRefused),
      (4_040_007, .notificationURLMissing), (4_040_008, .testNotificationUnknown), (4_040_009, .resourceNotFound),
      (4_090_001, .messagingRefused), (4_290_000, .frequencyLimited), (5_000_001, .failed),
      (4_000_000, .otherError),
    ]
    for (number, code) in table { #expect(AppStoreServerErrorNumber(rawValue: number)?.code == code, "\(number)") }
    #expect(Set(table.map(\.1)) == Set(AppStoreServerErrorCode.allCases).subtracting([.notAuthorized]))
  }

  @Test func `has a message that cannot forge a log line`() throws {
    let body = "{\"errorCode\":4000006,\"errorMessage\":\"a\\nb\\u001b[0m" + String(repeating: "x", count: 600) + "\"}"
    let error = try #require(try outcome(Bench.response(400, body)).error)
    #expect(error.message.hasPrefix("a?b?[0m"))
    #expect(error.message.count == 512)
    #expect(error.description.hasPrefix("app_store_identifier_refused: 400 4000006 a?b"))
  }

  @Test func `to a change is its status, and its body may be empty`() throws {
    let finish = try AppStoreServerCall.finishTransaction("1")
    let token = try AppStoreServerCall.setAppAccountToken(Bench.token, of: "1")
    let consumption = try AppStoreServerCall.consumption(
      ConsumptionRequest(customerConsented: true, deliveryStatus: .delivered, sampleContentProvided: true), of: "1")
    for (call, status) in [(finish, 200), (token, 200), (consumption, 202)] {
      #expect(call.outcome(of: Bench.response(status), at: Bench.now).answer == AppStoreAcceptance())
      #expect(call.outcome(of: Bench.response(status, "{}"), at: Bench.now).answer == AppStoreAcceptance())
      #expect(call.outcome(of: Bench.response(status == 200 ? 202 : 200), at: Bench.now).answer == nil)
      #expect(call.outcome(of: Bench.response(204), at: Bench.now).answer == nil)
    }
  }

  @Test func `is read completely, and unknown values of lists are kept`() throws {
    let history = try AppStoreServerCall.transactionHistory(ofCustomerWith: "1")
    let page = """
      {"revision":"r","hasMore":true,"bundleId":"com.example","appAppleId":531412,"environment":"Moon",
       "signedTransactions":["a","b"],"new":{"x":[1]}}
      """
    let answer = try #require(history.outcome(of: Bench.response(200, page), at: Bench.now).answer)
    #expect(answer.signedTransactions == ["a", "b"])
    #expect(answer.environment == .raw("Moon"))
    #expect(answer.revision == "r" && answer.hasMore && answer.appAppleId == 531_412)
    let notifications = try AppStoreServerCall.notificationHistory(
      NotificationHistoryRequest(from: Timestamp(milliseconds: 1), to: Bench.now))
    let sent = """
      {"paginationToken":"p","hasMore":false,"notificationHistory":[{"signedPayload":"s","sendAttempts":[
       {"attemptDate":1698148900000,"sendAttemptResult":"NO_RESPONSE"},{"sendAttemptResult":"EATEN_BY_DOG"}]}]}
      """
    let item = try #require(
      notifications.outcome(of: Bench.response(200, sent), at: Bench.now).answer?.notificationHistory.first)
    #expect(item.sendAttempts.map(\.sendAttemptResult) == [.known(.noResponse), .raw("EATEN_BY_DOG")])
    #expect(item.sendAttempts[0].attemptDate == Timestamp(milliseconds: 1_698_148_900_000))
    let statuses = try AppStoreServerCall.subscriptionStatuses(ofCustomerWith: "1")
    let lines = """
      {"environment":"Sandbox","bundleId":"b","data":[{"subscriptionGroupIdentifier":"g","lastTransactions":[
       {"status":1,"originalTransactionId":"3","signedTransactionInfo":"t","signedRenewalInfo":"r"},{"status":9}]}]}
      """
    let groups = try #require(statuses.outcome(of: Bench.response(200, lines), at: Bench.now).answer?.data)
    #expect(groups[0].lastTransactions.map(\.status) == [.known(.active), .raw(9)])
  }

  @Test func `that announces another page must contain the token to request it`() throws {
    let history = try AppStoreServerCall.transactionHistory(ofCustomerWith: "1")
    let refunds = try AppStoreServerCall.refundHistory(ofCustomerWith: "1")
    let notifications = try AppStoreServerCall.notificationHistory(
      NotificationHistoryRequest(from: Timestamp(milliseconds: 1), to: Bench.now))
    let page = Bench.response(200, "{\"hasMore\":true,\"signedTransactions\":[]}")
    #expect(history.outcome(of: page, at: Bench.now).answer == nil)
    #expect(refunds.outcome(of: page, at: Bench.now).answer == nil)
    let sent = Bench.response(200, "{\"hasMore\":true,\"notificationHistory\":[]}")
    #expect(notifications.outcome(of: sent, at: Bench.now).answer == nil)
    for body in ["{\"hasMore\":false}", "{\"signedTransactions\":[]}"] {
      #expect(history.outcome(of: Bench.response(200, body), at: Bench.now).answer == nil, "\(body)")
    }
  }
}

@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
struct `Apple's samples of answers` {
  private func answer<Answer: PayloadPart>(_ name: String, as: Answer.Type) throws -> JSONValue? {
    try Answer(PayloadFields(Fixtures.json("apple-models/models/\(name).json"))).json
  }

  @Test func `are read with every field`() throws {
    func same<Answer: PayloadPart>(_ name: String, _ type: Answer.Type) throws {
      #expect(
        try answer(name, as: type)?.sorted == Fixtures.json("apple-models/models/\(name).json").sorted, "\(name)")
    }
    try same("transactionInfoResponse", TransactionInfoResponse.self)
    try same("appTransactionInfoResponse", AppTransactionInfoResponse.self)
    try same("lookupOrderIdResponse", OrderLookupResponse.self)
    #expect(throws: PayloadProblem(path: "appAppleId", expected: "a whole number")) {
      try answer("transactionHistoryResponseWithMalformedAppAppleId", as: HistoryResponse.self)
    }
  }

  @Test func `of errors give Apple's number and our code`() throws {
    let call = try AppStoreServerCall.setAppAccountToken(ServerAPIBench.token, of: "1")
    for (name, status, number, code) in [
      ("familyTransactionNotSupportedError", 400, 4_000_185, AppStoreServerErrorCode.familyShared),
      ("invalidAppAccountTokenUUIDError", 400, 4_000_183, .tokenRefused),
      ("transactionIdNotFoundError", 404, 4_040_010, .transactionNotFound),
      ("apiUnknownError", 400, 9_990_000, .otherError),
    ] as [(String, Int, Int64, AppStoreServerErrorCode)] {
      let body = try Fixtures.bytes("apple-models/models/\(name).json")
      let error = call.outcome(of: HTTPResponse(status: status, body: body), at: ServerAPIBench.now).error
      #expect(error?.number?.rawValue == number)
      #expect(error?.code == code)
    }
    let body = try Fixtures.bytes("apple-models/models/apiException.json")
    guard
      case .unknown(.undecided(let error)) = call.outcome(
        of: HTTPResponse(status: 500, body: body), at: ServerAPIBench.now)
    else {
      Issue.record("5000000 must be unknown")
      return
    }
    #expect(error.code == .failed && error.number == .known(.generalInternal))
  }
}
