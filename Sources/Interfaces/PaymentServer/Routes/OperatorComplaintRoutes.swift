import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON
import WeChatPayIntegration
import WeChatPayProtocol

/// Complaints of customers at WeChat Pay: what operators read of them, the answer, and the end.
enum OperatorComplaintRoutes {
  static let all: [Route] = [list, story, answer, complete]

  private static let states = ["open", "all"]

  private static let list = Route(
    "GET", "/v1/operator/complaints", name: "ListComplaints", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Complaints at WeChat Pay: open ones by their deadline, or all of them, the newest first.",
      query: [
        .init(
          name: "state", meaning: "`open` unless said otherwise, at most \(PaymentEngine.listedMax) at once.",
          schema: Schemas.words(states)),
        .init(name: "after", meaning: "With `all`: the `next` of the page before."),
        .init(
          name: "limit", meaning: "How many at most; 50 unless said otherwise.",
          schema: Schemas.integer(1...PaymentEngine.listedMax)),
      ], answer: "Complaints")
  ) { call in
    let state = try call.word("state", { states.contains($0) ? $0 : nil }, states) ?? "open"
    let page = try ListCall(call, states: states)
    let last = try page.position { parts in (openedAt: parts.moment, id: parts[1]) }
    let found = try await call.server.engine.listComplaints(
      of: try call.authenticatedApp(), openOnly: state == "open", before: last, limit: page.limit)
    let next = state == "all" && found.count == page.limit ? found.last : nil
    return call.answer(
      ListCall.json("complaints", found.map(json), next: next.map { ListCall.text($0.openedAt, $0.id) }))
  }

  private static let story = Route(
    "GET", "/v1/operator/complaints/{complaintId}", name: "TellComplaint", access: [.operator],
    documentation: RouteDocumentation(
      summary: "One complaint: what the customer wrote, the talk, its payments and their refunds.",
      answer: "ComplaintStory", codes: [.complaintUnknown])
  ) { call in try await told(call) }

  private static let answer = Route(
    "POST", "/v1/operator/complaints/{complaintId}/answer", name: "AnswerComplaint", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Writes to the customer, if nobody wrote since `talk`: so a repetition reaches them once.",
      request: "AnswerComplaint", answer: "ComplaintStory",
      codes: [.complaintUnknown, .complaintNotChanged, .complaintOutcomeUnknown, .storeNotConfigured])
  ) { call in
    let (text, talk, reason) = try call.body { (json) throws(JSONFieldError) in
      let fields = try JSONFields(json)
      return (
        try fields.converted("text", "1 to 200 characters, without line breaks and emoji") {
          ComplaintAct.isText($0) ? $0 : nil
        }, try fields.string("talk", bytesMax: 32), try fields.string("reason", bytesMax: 1024)
      )
    }
    return try await act(.answer(text, talk: talk), because: reason, call)
  }

  private static let complete = Route(
    "POST", "/v1/operator/complaints/{complaintId}/complete", name: "CompleteComplaint", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Tells WeChat Pay that a complaint is done. Not possible while one of its refunds is on its way.",
      request: "CompleteComplaint", answer: "ComplaintStory",
      codes: [.complaintUnknown, .complaintNotChanged, .complaintOutcomeUnknown, .storeNotConfigured])
  ) { call in
    let reason = try call.body { (json) throws(JSONFieldError) in
      try JSONFields(json).string("reason", bytesMax: 1024)
    }
    return try await act(.complete, because: reason, call)
  }

  private static func act(_ act: ComplaintAct, because reason: String, _ call: Call) async throws -> HTTPResponse {
    try await call.server.engine.handleComplaint(
      call.parameter("complaintId"), act, for: try call.authenticatedApp(),
      reason: OperatorReason(name: call.operatorName ?? "", text: reason))
    return try await told(call)
  }

  private static func told(_ call: Call) async throws -> HTTPResponse {
    let story = try await call.server.engine.tellComplaint(
      call.parameter("complaintId"), of: try call.authenticatedApp())
    return call.answer(json(story, call))
  }

  // MARK: JSON

  private static func members(_ complaint: Complaint) -> [(String, JSONValue?)] {
    [
      ("complaintId", .string(complaint.id)),
      ("environment", .string(complaint.appEnvironment.environment.rawValue)), ("state", .string(complaint.state)),
      ("openedAt", .string(complaint.openedAt.iso8601)), ("complainedAt", .string(complaint.begunAt.iso8601)),
      ("times", .integer(complaint.times)), ("awaitsReply", .bool(complaint.awaitsReply)),
      ("answerDue", complaint.answerDue.map { .string($0.iso8601) }),
      ("endDue", complaint.endDue.map { .string($0.iso8601) }),
      ("answeredAt", complaint.answeredAt.map { .string($0.iso8601) }),
      ("doneAt", complaint.doneAt.map { .string($0.iso8601) }),
      ("orderId", complaint.order.map { .string($0.description) }),
      ("userId", complaint.user.map { .string($0.text) }),
    ]
  }

  private static func json(_ complaint: Complaint) -> JSONValue { .members(members(complaint)) }

  private static func json(_ story: ComplaintStory, _ call: Call) -> JSONValue {
    // What customers write may name them.
    func personal(_ text: String) -> JSONValue { .string(call.seesPersonalData ? text : "***") }
    let steps = story.history.map { step in
      JSONValue.members([
        ("at", step.time.map { .string($0.iso8601) }), ("by", personal(step.by)), ("what", .string(step.kind)),
        ("text", personal(step.text)),
      ])
    }
    return .members(
      members(story.complaint) + [
        ("text", story.facts.map { personal($0.text) }), ("problem", story.facts?.problem.map { .string($0) }),
        ("refundAsked", story.facts?.refundAsked.map { .integer($0) }),
        ("pictures", .integer(story.pictures.count)), ("talk", .string(story.talk)), ("steps", .array(steps)),
        ("payments", .array(story.payments.map(OperatorRoutes.json))),
        ("refunds", .array(story.refunds.map { RefundBody($0).json })),
      ])
  }
}
