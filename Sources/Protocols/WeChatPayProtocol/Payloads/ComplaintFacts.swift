package import PaymentPrimitives
package import StrictJSON

/// The state of a complaint: `complaint_state`.
package enum ComplaintState: String, Hashable, CaseIterable, Sendable {
  /// Nobody answered yet.
  case pending = "PENDING"
  /// The merchant has answered.
  case processing = "PROCESSING"
  case processed = "PROCESSED"
}

/// WeChat Pay's data about one complaint: an answer to a query, or a row of a list.
///
/// The payer's phone number and WeChat id stand there, too, and are not read.
package struct ComplaintFacts: Hashable, Sendable {
  /// A payment that the customer complains about.
  package struct Subject: Hashable, Sendable {
    package let transactionId: String?
    /// Our number of the order.
    package let outTradeNo: String?
    /// In fen.
    package let amount: Int64?

    package init(transactionId: String?, outTradeNo: String?, amount: Int64?) {
      self.transactionId = transactionId
      self.outTradeNo = outTradeNo
      self.amount = amount
    }
  }

  /// A complaint about more orders is cut off.
  package static let subjectsMax = 20
  /// A complaint with more pictures is cut off.
  package static let picturesMax = 30

  package var id: String
  package var time: Timestamp
  package var state: WeChatPayValue<ComplaintState>
  /// What the customer wrote.
  package var text: String
  package var subjects: [Subject]
  package var pictures: [String]
  /// Whether everything was refunded, as WeChat Pay counts.
  package var isFullyRefunded: Bool
  /// Whether the customer wrote something that waits for an answer: `incoming_user_response`.
  package var awaitsReply: Bool
  /// How often the customer has complained: `user_complaint_times`.
  package var times: Int64
  /// The kind of problem: `REFUND`, `SERVICE_NOT_WORK`, `OTHERS` or a newer word.
  package var problem: String?
  package var problemDescription: String?
  /// What the customer wants back, in fen.
  package var refundAsked: Int64?
  /// `TRUSTED`, `HIGH_RISK` or a newer word.
  package var tags: [String]

  package init(id: String, time: Timestamp, state: ComplaintState, text: String, subjects: [Subject]) {
    self.id = id
    self.time = time
    self.state = .known(state)
    self.text = text
    self.subjects = subjects
    pictures = []
    isFullyRefunded = false
    awaitsReply = false
    times = 1
    tags = []
  }

  /// Reads a complaint.
  ///
  /// - Throws: the field that is missing or malformed.
  package init(_ value: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(value)
    id = try fields.string("complaint_id", bytesMax: 64)
    guard ComplaintNumber.isValid(id) else {
      throw JSONFieldError(path: "complaint_id", expected: "letters, digits, - and _")
    }
    guard let moment = try fields.moment("complaint_time") else {
      throw JSONFieldError(path: "complaint_time", expected: "a moment in RFC 3339")
    }
    time = moment
    state = WeChatPayValue(try fields.string("complaint_state", bytesMax: 64))
    text = try fields.stated("complaint_detail", bytesMax: 8192) ?? ""
    var subjects: [Subject] = []
    for row in (fields.value("complaint_order_info")?.array ?? []).prefix(Self.subjectsMax) {
      let order = try JSONFields(row, path: "complaint_order_info")
      subjects.append(
        Subject(
          transactionId: try order.stated("transaction_id", bytesMax: 64),
          outTradeNo: try order.stated("out_trade_no", bytesMax: 64),
          amount: try order.optionalInteger("amount", in: 0...PaymentTransaction.fenMax)))
    }
    self.subjects = subjects
    pictures = Self.pictures(fields.value("complaint_media_list"))
    isFullyRefunded = try fields.optionalBool("complaint_full_refunded") ?? false
    awaitsReply = try fields.optionalBool("incoming_user_response") ?? false
    times = try fields.optionalInteger("user_complaint_times", in: 0...1_000_000) ?? 1
    problem = try fields.stated("problem_type", bytesMax: 64)
    problemDescription = try fields.stated("problem_description", bytesMax: 1024)
    refundAsked = try fields.optionalInteger("apply_refund_amount", in: 0...PaymentTransaction.fenMax)
    tags = (fields.value("user_tag_list")?.array ?? []).prefix(10).compactMap { $0.string }
      .filter { $0.utf8.count <= 64 }
  }

  /// The complaint without what the customer wrote and sent, and without what WeChat Pay says of the customer.
  package var withoutWords: ComplaintFacts {
    var facts = self
    (facts.text, facts.pictures, facts.problemDescription, facts.tags) = ("", [], nil, [])
    return facts
  }

  /// The addresses in a list of media; what is not an address is left out.
  static func pictures(_ media: JSONValue?) -> [String] {
    let urls = (media?.array ?? []).prefix(picturesMax).flatMap { medium in
      medium["media_url"]?.array ?? [medium["media_url"] ?? .null]
    }
    return Array(urls.compactMap(\.string).filter { (1...1024).contains($0.utf8.count) }.prefix(picturesMax))
  }

  /// The value as JSON, in the form that WeChat Pay sends.
  package var json: JSONValue {
    .members([
      ("complaint_id", .string(id)), ("complaint_time", .string(BeijingTime.text(time))),
      ("complaint_detail", .string(text)), ("complaint_state", .string(state.text)),
      (
        "complaint_order_info",
        .array(
          subjects.map { subject in
            .members([
              ("transaction_id", subject.transactionId.map { .string($0) }),
              ("out_trade_no", subject.outTradeNo.map { .string($0) }), ("amount", subject.amount.map { .integer($0) }),
            ])
          })
      ),
      (
        "complaint_media_list",
        pictures.isEmpty
          ? nil
          : .array([
            .members([
              ("media_type", "USER_COMPLAINT_IMAGE"), ("media_url", .array(pictures.map { .string($0) })),
            ])
          ])
      ),
      ("complaint_full_refunded", .bool(isFullyRefunded)), ("incoming_user_response", .bool(awaitsReply)),
      ("user_complaint_times", .integer(times)), ("problem_type", problem.map { .string($0) }),
      ("problem_description", problemDescription.map { .string($0) }),
      ("apply_refund_amount", refundAsked.map { .integer($0) }), ("user_tag_list", .array(tags.map { .string($0) })),
    ])
  }
}

/// One step of the talk between customer, merchant and WeChat Pay.
package struct ComplaintStep: Hashable, Sendable {
  /// More steps of a complaint are not read.
  package static let countMax = 300

  package var id: String
  /// Who acted, in WeChat Pay's words for people.
  package var by: String
  package var time: Timestamp?
  /// `USER_CREATE_COMPLAINT`, `MERCHANT_RESPONSE`, … or a newer word.
  package var kind: String
  package var text: String
  package var pictures: [String]

  package init(id: String, by: String, time: Timestamp, kind: String, text: String) {
    (self.id, self.by, self.time, self.kind, self.text) = (id, by, time, kind, text)
    pictures = []
  }

  /// Reads a step.
  ///
  /// - Throws: the field that is missing or malformed.
  package init(_ value: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(value)
    id = try fields.string("log_id", bytesMax: 64)
    by = try fields.stated("operator", bytesMax: 256) ?? ""
    time = try fields.moment("operate_time")
    kind = try fields.string("operate_type", bytesMax: 64)
    text = try fields.stated("operate_details", bytesMax: 8192) ?? ""
    pictures = ComplaintFacts.pictures(fields.value("complaint_media_list"))
  }

  /// The value as JSON, in the form that WeChat Pay sends.
  package var json: JSONValue {
    .members([
      ("log_id", .string(id)), ("operator", .string(by)),
      ("operate_time", time.map { .string(BeijingTime.text($0)) }), ("operate_type", .string(kind)),
      ("operate_details", .string(text)),
      (
        "complaint_media_list",
        pictures.isEmpty
          ? nil
          : .array([
            .members([("media_type", "USER_COMPLAINT_IMAGE"), ("media_url", .array(pictures.map { .string($0) }))])
          ])
      ),
    ])
  }
}

/// WeChat Pay's number of a complaint, which stands in paths.
package enum ComplaintNumber {
  package static func isValid(_ id: String) -> Bool {
    (1...64).contains(id.utf8.count)
      && id.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || byte == 0x2D || byte == 0x5F
      }
  }
}

/// The content of a notification about a complaint: which one to ask about.
package struct ComplaintNotice: Hashable, Sendable {
  package let id: String
  /// `CREATE_COMPLAINT`, `CONTINUE_COMPLAINT`, `USER_RESPONSE`, … or a newer word.
  package let action: String

  package init(id: String, action: String) {
    self.id = id
    self.action = action
  }

  package init(_ value: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(value)
    id = try fields.string("complaint_id", bytesMax: 64)
    action = try fields.string("action_type", bytesMax: 64)
  }

  package var json: JSONValue {
    .members([("complaint_id", .string(id)), ("action_type", .string(action))])
  }
}
