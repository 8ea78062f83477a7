import AppStoreProtocol
import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestFixtures
import Testing

@Suite struct `A request to verifyReceipt` {
  @Test func `is not made from a text that is not a receipt even after repair`() {
    for text in ["", " \n", "ü", "a", "ab*d", "====", "MIIT{}"] {
      #expect(VerifyReceiptRequest(repairing: text) == nil, "\(text)")
    }
    #expect(VerifyReceiptRequest(receipt: []) == nil)
    #expect(VerifyReceiptRequest(receipt: Array(repeating: 0, count: (4 << 20) + 1)) == nil)
  }

  @Test func `repairs common damage to Base64`() throws {
    let bytes: [UInt8] = (0...255).map { $0 } + [0xFB, 0xEF, 0xBE, 0xFF]
    let good = Base64.encode(bytes)
    #expect(good.contains("+") && good.contains("/") && good.hasSuffix("="))
    let lines = stride(from: 0, to: good.count, by: 64).map { String(good.dropFirst($0).prefix(64)) }
    let damaged = [
      good, lines.joined(separator: "\r\n") + "\n", "\t " + good + " ", good.replacing("+", with: " "),
      good.replacing("+", with: "-").replacing("/", with: "_"), good.replacing("=", with: ""),
    ]
    for text in damaged { #expect(VerifyReceiptRequest(repairing: text)?.receipt == bytes, "\(text.prefix(20))") }
  }

  @Test func `equals the expected bytes, with the shared secret (1B.8)`() throws {
    var question = try #require(VerifyReceiptRequest(receipt: Array("receipt".utf8)))
    let host = AppStoreServerHosts.verifyReceipt[.production]
    let plain = question.request(to: host, sharedSecret: nil)
    #expect(plain.method == "POST")
    #expect(plain.target == "https://buy.itunes.apple.com/verifyReceipt")
    #expect(plain.fields["Content-Type"] == "application/json")
    #expect(
      String(decoding: plain.body, as: UTF8.self)
        == #"{"receipt-data":"cmVjZWlwdA==","exclude-old-transactions":false}"#)
    question.excludesOldTransactions = true
    let full = question.request(
      to: AppStoreServerHosts.verifyReceipt[.sandbox], sharedSecret: Secret("a1b2".utf8))
    #expect(full.target == "https://sandbox.itunes.apple.com/verifyReceipt")
    #expect(
      String(decoding: full.body, as: UTF8.self)
        == #"{"receipt-data":"cmVjZWlwdA==","password":"a1b2","exclude-old-transactions":true}"#)
    #expect(AppStoreServerHosts.verifyReceipt.areGenuine)
  }
}

@Suite struct `An answer of verifyReceipt` {
  private func outcome(_ body: String, _ status: Int = 200) -> VerifyReceiptOutcome {
    VerifyReceiptOutcome(HTTPResponse(status: status, body: Array(body.utf8)))
  }

  @Test func `that is malformed or not its own leaves the outcome unknown`() {
    let deep =
      "{\"status\":0,\"receipt\":" + String(repeating: "[", count: 20) + String(repeating: "]", count: 20) + "}"
    for body in [
      "", "<html>", "{}", "[]", "{\"status\":\"zero\"}", "{\"status\":0}", "{\"status\":0,\"receipt\":[]}", deep,
      "{\"status\":0,\"receipt\":{},\"latest_receipt_info\":\"x\"}",
      "{\"status\":0,\"receipt\":{\"in_app\":[1]}}", "{\"status\":0,\"status\":0,\"receipt\":{}}",
    ] {
      guard case .unknown(.unreadable(200, _)) = outcome(body) else {
        Issue.record("unreadable: \(body)")
        continue
      }
    }
    for status in [500, 503, 404, 301] {
      guard case .unknown(.unreadable(status, _)) = outcome("{\"status\":0,\"receipt\":{}}", status) else {
        Issue.record("\(status) must leave the outcome unknown")
        continue
      }
    }
  }

  @Test func `with an unreadable cancellation date is no answer, and never means not cancelled`() {
    for member in [
      "\"cancellation_date_ms\":\"soon\"", "\"cancellation_date\":\"yesterday\"", "\"cancellation_date\":{}",
      "\"cancellation_date\":\"2020-06-22 13:57:04 Mars/Olympus\"",
      "\"cancellation_date_pst\":\"2020-13-01 00:00:00 GMT\"",
    ] {
      let body = "{\"status\":0,\"receipt\":{\"in_app\":[{\"transaction_id\":\"1\",\(member)}]}}"
      #expect(outcome(body).answer == nil, "\(member)")
    }
  }

  @Test func `is final, to be retried, or for the other host, by its status (1B.9)`() {
    let never: [Int64: VerifyReceiptErrorCode] = [
      21000: .notPost, 21001: .malformed, 21002: .malformed, 21003: .notAuthentic, 21004: .wrongSecret,
      21010: .accountGone,
    ]
    for (status, code) in never {
      guard case .refused(let error) = outcome("{\"status\":\(status)}") else {
        Issue.record("\(status) is final")
        continue
      }
      #expect(error.code == code && error.status == status)
    }
    let later: [Int64: VerifyReceiptErrorCode] = [
      21005: .unavailable, 21009: .failed, 21100: .internalData, 21199: .internalData, 21200: .unknownStatus,
      -1: .unknownStatus,
    ]
    for (status, code) in later {
      guard case .unknown(.undecided(let error)) = outcome("{\"status\":\(status)}") else {
        Issue.record("\(status) is to be retried")
        continue
      }
      #expect(error.code == code)
    }
    guard case .elsewhere(.sandbox) = outcome("{\"status\":21007}"),
      case .elsewhere(.production) = outcome("{\"status\":21008}")
    else {
      Issue.record("the other host is to be asked")
      return
    }
  }

  @Test func `states whether a retry helps, in four spellings`() {
    for (text, helps) in [
      ("1", true), ("true", true), ("\"1\"", true), ("\"true\"", true), ("0", false), ("false", false),
      ("\"0\"", false), ("\"false\"", false),
    ] {
      for name in ["is-retryable", "is_retryable"] {
        let refused = if case .refused = outcome("{\"status\":21199,\"\(name)\":\(text)}") { true } else { false }
        #expect(refused != helps, "\(name) \(text)")
      }
    }
  }

  @Test func `of iOS 6 is one transaction, even after its subscription has ended`() throws {
    let body = """
      {"status":21006,"receipt":{"bid":"com.example","bvrs":"1.0","item_id":"5","product_id":"p","quantity":"1",
       "transaction_id":"10","original_transaction_id":"9","purchase_date":"2011-02-17 06:20:57 Etc/GMT",
       "expires_date":"1297927257000","expires_date_formatted":"2011-02-17 07:20:57 Etc/GMT"},
       "latest_expired_receipt_info":{"product_id":"p","transaction_id":"11","expires_date":"1297930857000"}}
      """
    let answer = try #require(outcome(body).answer)
    let receipt = try #require(answer.receipt)
    #expect(receipt.isFlat && receipt.bundleId == "com.example" && receipt.applicationVersion == "1.0")
    #expect(answer.status == .known(.expired))
    #expect(answer.transactions.map(\.transactionId) == ["11", "10"])
    let entry = try #require(receipt.inApp.first)
    #expect(entry.purchaseDate == Timestamp(iso8601: "2011-02-17T06:20:57Z"))
    #expect(entry.expiresDate == Timestamp(milliseconds: 1_297_927_257_000))
    #expect(entry.originalTransactionId == "9" && entry.quantity == 1)
  }

  @Test func `lists each transaction once, by its newest entry, with ids as numbers or text`() throws {
    let body = """
      {"status":0,"environment":"Moon","receipt":{"bundle_id":"b","in_app":[
       {"transaction_id":7,"quantity":2,"is_trial_period":false},
       {"transaction_id":"8","in_app_ownership_type":"LENT","app_account_token":"x","new":{"a":[1]}}]},
       "latest_receipt_info":[{"transaction_id":"7","cancellation_date_ms":"1466127848000","cancellation_reason":"7"}],
       "pending_renewal_info":[{"auto_renew_status":1,"is_in_billing_retry_period":"0","expiration_intent":"9"}]}
      """
    let answer = try #require(outcome(body).answer)
    #expect(answer.environment == .raw("Moon"))
    let transactions = answer.transactions
    #expect(transactions.map(\.transactionId) == ["7", "8"])
    #expect(transactions[0].cancellationDate == Timestamp(milliseconds: 1_466_127_848_000))
    #expect(transactions[0].cancellationReason == .raw("7"))
    #expect(transactions[1].inAppOwnershipType == .raw("LENT"))
    #expect(transactions[1].source["new"]?["a"] == .array([.integer(1)]))
    #expect(answer.receipt?.inApp.first?.quantity == 2)
    let renewal = try #require(answer.pendingRenewalInfo.first)
    #expect(renewal.autoRenewStatus == "1" && renewal.isInBillingRetryPeriod == false)
    #expect(renewal.expirationIntent == "9")
  }

  @Test func `writes one date in several forms, in summer and winter time`() throws {
    for (winter, forms) in [
      (
        "2019-01-20T14:36:57Z",
        [
          "2019-01-20 14:36:57 Etc/GMT", "2019-01-20 06:36:57 America/Los_Angeles", "1547995017000",
          "2019-01-20T14:36:57Z",
        ]
      ),
      ("2019-04-20T14:36:57Z", ["2019-04-20 07:36:57 America/Los_Angeles"]),
      // The clocks of California change at two: 2019-03-10 and 2019-11-03.
      ("2019-03-10T09:59:59Z", ["2019-03-10 01:59:59 America/Los_Angeles"]),
      ("2019-03-10T10:00:00Z", ["2019-03-10 03:00:00 America/Los_Angeles"]),
      ("2019-11-03T07:59:59Z", ["2019-11-03 00:59:59 America/Los_Angeles"]),
      ("2019-11-03T10:00:00Z", ["2019-11-03 02:00:00 America/Los_Angeles"]),
    ] {
      for form in forms {
        for member in ["purchase_date", "purchase_date_pst"] {
          let body = "{\"status\":0,\"receipt\":{\"in_app\":[{\"\(member)\":\"\(form)\"}]}}"
          let date = outcome(body).answer?.receipt?.inApp.first?.purchaseDate
          #expect(date == Timestamp(iso8601: winter), "\(form)")
        }
      }
    }
  }
}

@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
struct `Recorded answers of verifyReceipt` {
  /// Every recorded answer, without the one file that is not an answer and without old notifications.
  private func answers() -> [(name: String, value: JSONValue)] {
    Fixtures.names(in: "verify-receipt", ending: ".json").compactMap { name in
      guard
        let value = try? JSONReader.read(
          Fixtures.bytes("verify-receipt/\(name)"), limits: JSONLimits(bytesMax: 16 << 20, valuesMax: 500_000)),
        value["status"] != nil
      else { return nil }
      return (name, value)
    }
  }

  @Test func `are all read, and all their dates agree`() {
    let answers = answers()
    #expect(answers.count >= 17, "\(answers.map(\.name))")
    var entries = 0
    for (name, value) in answers {
      let outcome = VerifyReceiptOutcome(HTTPResponse(status: 200, body: value.bytes))
      switch (value["status"]?.integer, outcome) {
      case (0, .answered(let answer)):
        #expect(answer.receipt?.bundleId != nil, "\(name)")
        for entry in (answer.receipt?.inApp ?? []) + answer.latestReceiptInfo {
          entries += 1
          #expect(entry.productId != nil && entry.transactionId != nil && entry.purchaseDate != nil, "\(name)")
          agree(entry, name)
        }
      case (21007, .elsewhere(.sandbox)): break
      case (21002, .refused(let error)): #expect(error.code == .malformed)
      case (21010, .refused(let error)): #expect(error.code == .accountGone)
      default: Issue.record("\(name): \(outcome)")
      }
    }
    #expect(entries > 100)
  }

  /// The three forms of each date, read separately, are one moment.
  private func agree(_ entry: VerifyReceiptEntry, _ name: String) {
    for date in ["purchase_date", "original_purchase_date"] {
      guard let milliseconds = entry.source[date + "_ms"]?.string.flatMap({ Int64($0) }) else { continue }
      for member in [date, date + "_pst"] {
        guard let text = entry.source[member]?.string else { continue }
        let body = JSONValue.members([
          ("status", .integer(0)),
          ("receipt", .members([("in_app", .array([.members([("purchase_date", .string(text))])]))])),
        ])
        let read = VerifyReceiptOutcome(HTTPResponse(status: 200, body: body.bytes)).answer?.receipt?.inApp.first
        #expect(read?.purchaseDate?.seconds == milliseconds / 1000, "\(name): \(member) \(text)")
      }
    }
  }
}
