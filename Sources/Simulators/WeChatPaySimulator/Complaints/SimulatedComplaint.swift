import HTTPMessages
package import PaymentPrimitives
import SimulatorCore
package import StrictJSON
package import WeChatPayProtocol

/// A customer's complaint as WeChat Pay keeps it.
package struct SimulatedComplaint: Hashable, Sendable {
  package let mchid: String
  package let notifyURL: String
  package internal(set) var facts: ComplaintFacts
  package internal(set) var steps: [ComplaintStep]
  /// What the merchant decided about the refund: `APPROVE`, `REJECT`.
  package internal(set) var refundDecision: String?

  package var json: JSONValue {
    .members([
      ("mchid", .string(mchid)), ("notify_url", .string(notifyURL)), ("facts", facts.json),
      ("steps", .array(steps.map(\.json))), ("refund_decision", refundDecision.map { .string($0) }),
    ])
  }

  init(mchid: String, notifyURL: String, facts: ComplaintFacts) {
    (self.mchid, self.notifyURL, self.facts) = (mchid, notifyURL, facts)
    steps = []
  }

  init(_ fields: JSONFields) throws(JSONFieldError) {
    mchid = try fields.string("mchid")
    notifyURL = try fields.string("notify_url")
    facts = try ComplaintFacts(fields.value("facts") ?? .null)
    steps = []
    for step in try fields.array("steps", countMax: WeChatPaySimulatorLimits.complaintStepsMax) {
      steps.append(try ComplaintStep(step))
    }
    refundDecision = try fields.optionalString("refund_decision", bytesMax: 16)
  }
}

/// What customers and merchants do about a complaint.
struct ComplaintDecision {
  let id: String
  let merchant: SimulatedMerchant

  /// The complaint, if it is the merchant's.
  func known(_ state: WeChatPayState) throws(APIProblem) -> SimulatedComplaint {
    guard let complaint = state.complaints[id], complaint.mchid == merchant.mchid else {
      throw APIProblem(404, "RESOURCE_NOT_EXISTS", message: "投诉单不存在")
    }
    return complaint
  }

  func answer(_ body: JSONValue, _ decision: inout CommandContext) throws(APIProblem) {
    var complaint = try open(decision.state)
    complaint.facts.state = .known(.processing)
    complaint.facts.awaitsReply = false
    try add("MERCHANT_RESPONSE", body["response_content"]?.string ?? "", to: &complaint, by: &decision)
    decision.put(.complaint(complaint))
  }

  func complete(_ decision: inout CommandContext) throws(APIProblem) {
    var complaint = try known(decision.state)
    guard complaint.facts.state != .known(.processed) else { return }
    guard complaint.facts.state == .known(.processing) else {
      throw APIProblem(400, "INVALID_REQUEST", message: "请先回复用户")
    }
    complaint.facts.state = .known(.processed)
    try add("MERCHANT_CONFIRM_COMPLETE", "商户已完成处理", to: &complaint, by: &decision)
    decision.put(.complaint(complaint))
  }

  func decideRefund(_ body: JSONValue, _ decision: inout CommandContext) throws(APIProblem) {
    var complaint = try open(decision.state)
    guard let action = body["action"]?.string, action == "APPROVE" || action == "REJECT" else {
      throw .parameter("/action", "取值不正确", value: body["action"])
    }
    complaint.refundDecision = action
    let kind = action == "APPROVE" ? "MERCHANT_APPROVE_REFUND" : "MERCHANT_REJECT_REFUND"
    try add(kind, body["reject_reason"]?.string ?? "", to: &complaint, by: &decision)
    decision.put(.complaint(complaint))
  }

  private func open(_ state: WeChatPayState) throws(APIProblem) -> SimulatedComplaint {
    let complaint = try known(state)
    guard complaint.facts.state != .known(.processed) else {
      throw APIProblem(400, "INVALID_REQUEST", message: "投诉单已处理完成")
    }
    return complaint
  }

  private func add(
    _ kind: String, _ text: String, to complaint: inout SimulatedComplaint, by decision: inout CommandContext
  ) throws(APIProblem) {
    guard complaint.steps.count < WeChatPaySimulatorLimits.complaintStepsMax else { throw .systemError }
    complaint.steps.append(
      ComplaintStep(id: decision.digits(20), by: "商家", time: decision.now, kind: kind, text: text))
  }
}

extension WeChatPayControl {
  /// A customer complains about a paid order.
  ///
  /// - Parameters:
  ///   - refund: what the customer wants back, in fen; nil for no refund.
  ///   - pictures: how many pictures the customer attaches; they are on the merchant's first host.
  /// - Returns: the number of the complaint.
  /// - Throws: `orderUnknown` for an order that is not paid; `full`.
  nonisolated(nonsending) package func complain(
    about key: OrderKey, _ text: String, refund: Int64? = nil, pictures: Int = 0,
    at origin: String = "https://api.mch.weixin.qq.com"
  ) async throws(CodedError<WeChatPaySimulatorErrorCode>) -> String {
    try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      guard let order = decision.state.orders[key], let transaction = order.transactionId else {
        throw CodedError(.orderUnknown)
      }
      guard decision.state.complaints.count < WeChatPaySimulatorLimits.complaintsMax else { throw CodedError(.full) }
      let id = "2002" + decision.eightDigits() + decision.tenDigits()
      var facts = ComplaintFacts(
        id: id, time: Timestamp(seconds: decision.now.seconds), state: .pending, text: text,
        subjects: [.init(transactionId: transaction, outTradeNo: key.outTradeNo, amount: order.total)])
      facts.refundAsked = refund
      facts.problem = refund == nil ? "SERVICE_NOT_WORK" : "REFUND"
      facts.pictures = (0..<max(0, pictures)).map { "\(origin)/v3/merchant-service/images/\(id)-\($0)" }
      var complaint = SimulatedComplaint(mchid: key.mchid, notifyURL: order.notifyURL, facts: facts)
      Self.add("USER_CREATE_COMPLAINT", text, to: &complaint, by: decision)
      decision.put(.complaint(complaint))
      NotificationDecision.tell(of: complaint, action: "CREATE_COMPLAINT", isNew: true, &decision)
      return id
    }
  }

  /// The customer complains once more, under the same number.
  ///
  /// - Throws: `orderUnknown` for an unknown complaint.
  nonisolated(nonsending) package func complainAgain(
    _ id: String, _ text: String
  ) async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    try await change(id, "USER_CONTINUE_COMPLAINT", text: text, action: "CONTINUE_COMPLAINT") { complaint in
      complaint.facts.state = .known(.pending)
      complaint.facts.times += 1
      complaint.facts.awaitsReply = true
    }
  }

  /// The customer withdraws a complaint.
  ///
  /// - Throws: `orderUnknown` for an unknown complaint.
  nonisolated(nonsending) package func withdrawComplaint(
    _ id: String
  ) async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    try await change(id, "USER_CANCEL_COMPLAINT", text: "", action: "USER_CANCEL_COMPLAINT") { complaint in
      complaint.facts.state = .known(.processed)
    }
  }

  nonisolated(nonsending) private func change(
    _ id: String, _ kind: String, text: String, action: String,
    edit: @Sendable (inout SimulatedComplaint) -> Void
  ) async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      guard var complaint = decision.state.complaints[id] else { throw CodedError(.orderUnknown) }
      guard complaint.steps.count < WeChatPaySimulatorLimits.complaintStepsMax else { throw CodedError(.full) }
      edit(&complaint)
      Self.add(kind, text, to: &complaint, by: decision)
      decision.put(.complaint(complaint))
      NotificationDecision.tell(of: complaint, action: action, isNew: false, &decision)
    }
  }

  private static func add(
    _ kind: String, _ text: String, to complaint: inout SimulatedComplaint, by decision: CommandContext
  ) {
    complaint.steps.append(
      ComplaintStep(id: decision.digits(20), by: "用户", time: decision.now, kind: kind, text: text))
  }
}

extension SimulatedWeChatPay {
  /// All complaints by their number, or those of one merchant.
  package func complaints(mchid: String? = nil) -> [SimulatedComplaint] {
    commands.state.complaints.values.filter { mchid == nil || $0.mchid == mchid }.sorted { $0.facts.id < $1.facts.id }
  }

  package func complaint(_ id: String) -> SimulatedComplaint? { commands.state.complaints[id] }

  /// A page of complaints, the newest first, as the merchants' API lists them.
  func complaintPage(_ call: MerchantCall) throws(APIProblem) -> JSONValue {
    let target = call.route.target
    guard let first = target["begin_date"], let last = target["end_date"], first <= last else {
      throw .parameter("begin_date", "日期不正确", location: "query")
    }
    let limit = Int(target["limit"] ?? "10") ?? 10
    let offset = Int(target["offset"] ?? "0") ?? 0
    guard (1...ListedComplaints.rowsMax).contains(limit), offset >= 0 else {
      throw .parameter("limit", "取值不正确", location: "query")
    }
    let found = commands.state.complaints.values
      .filter { $0.mchid == call.merchant.mchid && (first...last).contains(BeijingTime.day($0.facts.time)) }
      .sorted { ($0.facts.time, $0.facts.id) > ($1.facts.time, $1.facts.id) }
    return .members([
      ("data", .array(found.dropFirst(offset).prefix(limit).map(\.facts.json))), ("limit", .integer(Int64(limit))),
      ("offset", .integer(Int64(offset))), ("total_count", .integer(Int64(found.count))),
    ])
  }
}
