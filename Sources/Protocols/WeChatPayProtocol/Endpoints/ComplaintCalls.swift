package import HTTPMessages
package import PaymentPrimitives
import StrictJSON

// Complaints of customers (消费者投诉 2.0) in merchant mode.

/// A page of complaints.
package struct ListedComplaints: Hashable, Sendable {
  /// The most complaints of a page.
  package static let rowsMax = 50
  /// The most days that one list covers.
  package static let daysMax = 30

  package let complaints: [ComplaintFacts]
  /// How many rows this version could not read.
  package let unreadable: Int
  /// How many rows WeChat Pay has for these days, as far as it says.
  package let total: Int64
}

/// WeChat Pay accepted what the merchant did about a complaint.
package struct ComplaintAccepted: Hashable, Sendable {}

/// What the merchant decides about the refund that a customer asks for.
package enum ComplaintRefundDecision: Hashable, Sendable {
  /// The refund is made today, as a refund of its own: this makes none.
  case approve
  /// The customer sees the reason.
  case refuse(reason: String)
}

extension WeChatPayCall where Answer == ListedComplaints {
  /// Lists complaints by the Beijing days on which they were opened, at most 30 of them.
  ///
  /// - Throws: days that WeChat Pay would refuse.
  package static func complaints(
    from first: String, to last: String, offset: Int, mchid: String
  ) throws(CodedError<WeChatPayRequestErrorCode>) -> WeChatPayCall {
    for day in [first, last] {
      guard day.utf8.count == 10, Timestamp(iso8601: day + "T00:00:00Z") != nil else { throw CodedError(.billDate) }
    }
    let target =
      "/v3/merchant-service/complaints-v2?limit=\(ListedComplaints.rowsMax)&offset=\(max(0, offset))"
      + "&begin_date=\(first)&end_date=\(last)&complainted_mchid=\(RequestTarget.encode(mchid))"
    return WeChatPayCall("GET", target) { value throws(JSONFieldError) in
      let fields = try JSONFields(value)
      let rows = (fields.value("data")?.array ?? []).prefix(ListedComplaints.rowsMax)
      let read = rows.compactMap { try? ComplaintFacts($0) }
      return ListedComplaints(
        complaints: read, unreadable: rows.count - read.count,
        total: try fields.optionalInteger("total_count", in: 0...Int64(Int32.max)) ?? Int64(rows.count))
    }
  }
}

extension WeChatPayCall where Answer == ComplaintFacts {
  /// Asks about one complaint.
  package static func complaint(_ id: String) -> WeChatPayCall {
    WeChatPayCall("GET", "/v3/merchant-service/complaints-v2/\(RequestTarget.encode(id))") {
      value throws(JSONFieldError) in
      let facts = try ComplaintFacts(value)
      guard facts.id.utf8.elementsEqual(id.utf8) else {
        throw JSONFieldError(path: "complaint_id", expected: "the number that was asked for")
      }
      return facts
    }
  }
}

extension WeChatPayCall where Answer == [ComplaintStep] {
  /// Asks what was written about a complaint.
  package static func complaintHistory(_ id: String) -> WeChatPayCall {
    let target =
      "/v3/merchant-service/complaints-v2/\(RequestTarget.encode(id))/negotiation-historys"
      + "?limit=\(ComplaintStep.countMax)&offset=0"
    return WeChatPayCall("GET", target) { value throws(JSONFieldError) in
      let fields = try JSONFields(value)
      return (fields.value("data")?.array ?? []).prefix(ComplaintStep.countMax).compactMap { try? ComplaintStep($0) }
    }
  }
}

extension WeChatPayCall where Answer == ComplaintAccepted {
  /// Answers a customer. Sent twice, the customer reads it twice.
  ///
  /// - Throws: a text that WeChat Pay would refuse.
  package static func answerComplaint(
    _ id: String, _ text: String, mchid: String
  ) throws(CodedError<WeChatPayRequestErrorCode>) -> WeChatPayCall {
    var check = RequestCheck()
    check.text("response_content", text, range: 1...200)
    if let problem = check.problem { throw problem }
    var call = change(
      id, "response", with: [("complainted_mchid", .string(mchid)), ("response_content", .string(text))])
    call.isRepeatable = false
    return call
  }

  /// Says that a complaint is done.
  package static func completeComplaint(_ id: String, mchid: String) -> WeChatPayCall {
    change(id, "complete", with: [("complainted_mchid", .string(mchid))])
  }

  /// Says what becomes of the refund that the customer asks for. No money moves by this.
  ///
  /// - Throws: a reason that WeChat Pay would refuse.
  package static func decideComplaintRefund(
    _ id: String, _ decision: ComplaintRefundDecision
  ) throws(CodedError<WeChatPayRequestErrorCode>) -> WeChatPayCall {
    switch decision {
    case .approve:
      return change(id, "update-refund-progress", with: [("action", "APPROVE"), ("launch_refund_day", .integer(0))])
    case .refuse(let reason):
      var check = RequestCheck()
      check.text("reject_reason", reason, range: 1...200)
      if let problem = check.problem { throw problem }
      return change(id, "update-refund-progress", with: [("action", "REJECT"), ("reject_reason", .string(reason))])
    }
  }

  private static func change(_ id: String, _ verb: String, with members: [(String, JSONValue?)]) -> WeChatPayCall {
    let target = "/v3/merchant-service/complaints-v2/\(RequestTarget.encode(id))/\(verb)"
    return WeChatPayCall("POST", target, body: JSONValue.members(members).bytes) {
      status, body throws(WeChatPayReadingError) in
      guard status == 204 || status == 200 else {
        throw WeChatPayReadingError("The status is \(status) instead of 204.")
      }
      return ComplaintAccepted()
    }
  }
}

/// A picture that a customer attached. WeChat Pay does not sign it.
package struct ComplaintPicture: Hashable, Sendable {
  package static let timeLimit = TimeSpan.seconds(30)
  package static let bytesMax = 5 << 20

  private static let folder = "/v3/merchant-service/images/"
  private let origin: String
  private let target: String

  /// - Parameter hosts: the hosts that may receive credentials.
  /// - Returns: nil for an address that is on none of them, or is no picture's.
  package init?(_ url: String, hosts: [WeChatPayHost]) {
    guard let host = hosts.first(where: { url.utf8.starts(with: ($0.origin + Self.folder).utf8) }),
      url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x23 }), !url.contains("..")
    else { return nil }
    origin = host.origin
    target = String(url.dropFirst(host.origin.count))
  }

  package func request(by merchant: MerchantCredentials, at now: Timestamp, nonce: String) -> HTTPRequest {
    let signature = merchant.authorization(method: "GET", target: target, body: [], at: now, nonce: nonce)
    return HTTPRequest(
      "GET", origin + target,
      fields: ["Accept": "*/*", "User-Agent": "counterfoil", "Authorization": signature.authorization])
  }

  /// The type of a picture by its first bytes, which a browser shows without running anything; nil for any other file.
  package static func type(of bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if bytes.starts(with: [0x47, 0x49, 0x46, 0x38]) { return "image/gif" }
    if bytes.starts(with: [0x42, 0x4D]) { return "image/bmp" }
    return nil
  }
}
