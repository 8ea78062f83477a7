import PaymentDatabase
package import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON
import WeChatPayProtocol

extension PaymentEngine {
  /// WeChat Pay is asked for new complaints that often, also if no notification came. A first answer is due after 24
  /// hours. Every ten minutes would be 144 signed questions a day for each app, in simulated worlds, too.
  private static let complaintPause = TimeSpan.hours(4)
  /// More pages of complaints are left for the next look.
  private static let complaintPagesMax = 40
  /// Open complaints that are older than a list can be are asked about one by one; at most that many at a time.
  private static let openComplaintsMax = 200

  // MARK: the schedule

  /// Asks about complaints, until the task is cancelled.
  func learnComplaintsScheduled() async {
    guard let gateways = weChatPay?.gateways, !gateways.isEmpty else { return }
    while !Task.isCancelled {
      for app in apps.all where gateways[app.id] != nil {
        do {
          try await doAlone("complaints.\(app.id.text)") { try await learnComplaints(of: app) }
        } catch is CancellationError { return } catch {
          log(LogEvent(.error, "complaints.failed", [("app", app.id.text), ("error", "\(error)")]))
        }
      }
      guard (try? await dependencies.sleep(Self.complaintPause)) != nil else { return }
    }
  }

  /// Asks for the complaints of the last 30 days, and about older ones that are open.
  package func learnComplaints(of app: AppPolicy) async throws {
    guard let gateway = weChatPay?.gateways[app.id] else { throw CodedError<EngineErrorCode>(.storeNotConfigured) }
    let seen = try await learnListedComplaints(of: app, gateway)
    let open = try await read { try $0.openComplaints(in: app.homeEnvironment, limit: Self.openComplaintsMax) }
    for complaint in open where !seen.contains(complaint.id) {
      _ = try await learnComplaint(complaint.id, for: app)
    }
  }

  private func learnListedComplaints(of app: AppPolicy, _ gateway: WeChatPayGateway) async throws -> Set<String> {
    let now = now
    let days = (BeijingTime.day(now - .days(Int64(ListedComplaints.daysMax - 1))), BeijingTime.day(now))
    var seen: Set<String> = []
    var offset = 0
    for _ in 0..<Self.complaintPagesMax {
      let call = try WeChatPayCall<ListedComplaints>.complaints(
        from: days.0, to: days.1, offset: offset, mchid: gateway.access.merchant.mchid)
      let reply = await gateway.send(call)
      guard case .answered(let page) = reply.outcome.result else { return seen }
      if page.unreadable > 0 {
        log(LogEvent(.error, "complaints.unreadable", [("app", app.id.text), ("count", "\(page.unreadable)")]))
      }
      for facts in page.complaints {
        seen.insert(facts.id)
        let known = try await read { try $0.complaint(facts.id, in: app.homeEnvironment) }
        // What was said about it is asked for if anything is new.
        if let known, known.tells(facts) { continue }
        _ = try await learnComplaint(facts.id, for: app)
      }
      offset += ListedComplaints.rowsMax
      guard page.complaints.count + page.unreadable == ListedComplaints.rowsMax, Int64(offset) < page.total else {
        break
      }
    }
    return seen
  }

  // MARK: one complaint

  /// Asks about one complaint and what was written about it, and keeps the answer.
  ///
  /// - Returns: whether WeChat Pay answered.
  @discardableResult
  func learnComplaint(_ id: String, for app: AppPolicy) async throws -> Bool {
    guard let gateway = weChatPay?.gateways[app.id], ComplaintNumber.isValid(id) else { return false }
    let reply = await gateway.send(.complaint(id))
    guard case .answered(let facts) = reply.outcome.result else { return false }
    let steps = await gateway.send(.complaintHistory(id))
    var history: String?
    if case .answered(let found) = steps.outcome.result { history = JSONValue.array(found.map(\.json)).text }
    let signedDate = reply.signedDate
    try await transact { [history] transaction in
      try ComplaintUpdate(facts: facts, history: history, signedDate: signedDate, app: app).apply(in: transaction)
    }
    return true
  }
}

/// What WeChat Pay says about a complaint, on its way into the database.
struct ComplaintUpdate {
  let facts: ComplaintFacts
  /// Nil if WeChat Pay did not tell it.
  let history: String?
  let signedDate: Timestamp
  let app: AppPolicy

  func apply(in transaction: any DatabaseTransaction) throws {
    let appEnvironment = app.homeEnvironment
    let known = try transaction.complaint(facts.id, in: appEnvironment)
    // An older answer may come later. Answers of one second are taken as they come.
    if let known, known.signedDate > signedDate { return }
    var complaint = merged(known, at: transaction.now)
    if complaint.order == nil { try addOrder(to: &complaint, in: transaction) }
    let isErased = try hasErasedUser(complaint, in: transaction)
    // The words of an erased user are needed until the complaint is over.
    if isErased, !complaint.isOpen { (complaint.facts, complaint.history) = (facts.withoutWords.json.text, "[]") }
    if complaint == known { return }
    try transaction.put(complaint)
    for event in events(known, complaint) {
      try transaction.insert(
        entry(event, complaint, text: isErased ? nil : facts.text, at: transaction.now))
    }
  }

  private func merged(_ known: Complaint?, at now: Timestamp) -> Complaint {
    let isProcessed = facts.state == .known(.processed)
    var complaint =
      known
      ?? Complaint(
        appEnvironment: app.homeEnvironment, id: facts.id, openedAt: facts.time, state: facts.state.text,
        facts: facts.json.text, signedDate: signedDate)
    if let known, !isProcessed, facts.times > known.times || known.doneAt != nil {
      // The customer complained once more: everything is due again.
      complaint.begunAt = now
      complaint.answeredAt = nil
    } else if complaint.answeredAt == nil, facts.state != .known(.pending),
      known == nil || known?.state == ComplaintState.pending.rawValue
    {
      // Somebody answered, here or in WeChat Pay's console for merchants.
      complaint.answeredAt = now
    }
    complaint.state = facts.state.text
    complaint.times = facts.times
    complaint.doneAt = isProcessed ? complaint.doneAt ?? now : nil
    complaint.awaitsReply = facts.awaitsReply
    complaint.facts = facts.json.text
    complaint.history = history ?? complaint.history
    complaint.signedDate = signedDate
    return complaint
  }

  /// The first order that is known here. Its payment has another number if the order was made elsewhere.
  private func addOrder(to complaint: inout Complaint, in transaction: any DatabaseTransaction) throws {
    for subject in facts.subjects {
      guard let number = subject.outTradeNo, let id = OrderIdentifier(number),
        id.outTradeNo.utf8.elementsEqual(number.utf8)
      else { continue }
      if let order = try transaction.order(OrderKey(appEnvironment: complaint.appEnvironment, id: id)) {
        (complaint.order, complaint.user) = (id, order.user)
        return
      }
    }
  }

  /// Whether its user has been erased, or is being erased.
  private func hasErasedUser(_ complaint: Complaint, in transaction: any DatabaseTransaction) throws -> Bool {
    guard let user = complaint.user else { return false }
    if try transaction.erasure(as: user, of: app.id) != nil { return true }
    return try transaction.erasure(of: user, in: app.homeEnvironment) != nil
  }

  private func events(_ known: Complaint?, _ complaint: Complaint) -> [JournalEvent] {
    var events: [JournalEvent] = []
    if known == nil { events.append(.complaintOpened) }
    if let known, known.begunAt != complaint.begunAt { events.append(.complaintRepeated) }
    if known?.doneAt == nil, complaint.doneAt != nil { events.append(.complaintDone) }
    return events
  }

  private func entry(
    _ event: JournalEvent, _ complaint: Complaint, text: String?, at now: Timestamp
  ) -> JournalEntry {
    JournalEntry(
      event, in: complaint.appEnvironment, at: now, order: complaint.order, payment: nil,
      details: JSONValue.members([
        ("complaint", .string(complaint.id)), ("state", .string(complaint.state)), ("text", text.map { .string($0) }),
      ]).text)
  }
}

extension Complaint {
  /// Whether nothing of these facts is new. The words of an erased user are not kept.
  fileprivate func tells(_ told: ComplaintFacts) -> Bool {
    facts == told.json.text || (!isOpen && facts == told.withoutWords.json.text)
  }
}
