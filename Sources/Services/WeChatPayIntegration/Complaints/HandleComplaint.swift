import PaymentDatabase
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives
import StrictJSON
package import WeChatPayProtocol

/// What an operator does about a complaint.
package enum ComplaintAct: Hashable, Sendable {
  /// Writes to the customer, 1 to 200 characters, after the operator has read the talk up to that place.
  case answer(String, talk: String)
  /// Refuses the refund, with a reason that the customer reads: 1 to 200 characters.
  case refuseRefund(String)
  /// Says that the refund is made. It must be there.
  case approveRefund
  /// Says that it is done.
  case complete

  /// Whether WeChat Pay takes such a text.
  package static func isText(_ text: String) -> Bool {
    text.unicodeScalars.count <= 200 && !text.isEmpty
      && text.unicodeScalars.allSatisfy { (0x20...0xFFFF).contains($0.value) && $0.value != 0x7F }
  }
}

/// A complaint with everything that a page shows of it.
package struct ComplaintStory: Sendable {
  package let complaint: Complaint
  package let facts: ComplaintFacts?
  package let history: [ComplaintStep]
  /// The payments that it names, as far as they are known here.
  package let payments: [Payment]
  package let refunds: [Refund]
}

extension PaymentEngine {
  /// - Throws: `complaintUnknown`.
  package func tellComplaint(_ id: String, of app: AppPolicy) async throws -> ComplaintStory {
    try await read { reader in
      guard let complaint = try reader.complaint(id, in: app.homeEnvironment) else {
        throw CodedError<EngineErrorCode>(.complaintUnknown)
      }
      return try Self.story(of: complaint, reader)
    }
  }

  private static func story(of complaint: Complaint, _ reader: any DatabaseReader) throws -> ComplaintStory {
    let facts = (try? JSONReader.read(complaint.facts.utf8)).flatMap { try? ComplaintFacts($0) }
    let history = ((try? JSONReader.read(complaint.history.utf8))?.array ?? []).compactMap { try? ComplaintStep($0) }
    let keys = (facts?.subjects ?? []).compactMap(\.transactionId).map { transaction in
      PaymentKey(
        app: complaint.appEnvironment.app, store: .weChatPay, environment: complaint.appEnvironment.environment,
        transaction: TransactionIdentifier(transaction))
    }
    let payments = try keys.compactMap { try reader.payment($0) }
    return ComplaintStory(
      complaint: complaint, facts: facts, history: history, payments: payments,
      refunds: try payments.flatMap { try reader.refunds(of: $0.key) })
  }

  /// Tells WeChat Pay what an operator decided about a complaint.
  ///
  /// Who acts is in the journal before the request is sent. WeChat Pay is asked afterwards, also if it did not answer.
  /// Of several answers at one place of the talk, the database lets one be sent (`AnswerAttempt`).
  /// - Throws: `complaintUnknown`; `complaintNotChanged` with WeChat Pay's reason, or for a complaint that is over,
  ///   whose refund is missing or on its way, or in which somebody wrote since the operator read it;
  ///   `complaintOutcomeUnknown`: then the talk shows it.
  package func handleComplaint(
    _ id: String, _ act: ComplaintAct, for app: AppPolicy, reason: OperatorReason
  ) async throws {
    let isKnown = try await read { try $0.complaint(id, in: app.homeEnvironment) != nil }
    guard isKnown else { throw CodedError<EngineErrorCode>(.complaintUnknown) }
    guard let gateway = weChatPay?.gateways[app.id] else { throw CodedError<EngineErrorCode>(.storeNotConfigured) }
    let call: WeChatPayCall<ComplaintAccepted>
    do throws(CodedError<WeChatPayRequestErrorCode>) {
      call = try act.call(about: id, mchid: gateway.access.merchant.mchid)
    } catch { throw CodedError<EngineErrorCode>(.complaintNotChanged, "\(error)") }
    var attempt: AnswerAttempt?
    if case .answer(_, let talk) = act {
      attempt = AnswerAttempt(
        id, in: app.homeEnvironment, talk: talk, holder: dependencies.randomBytes(16).hexadecimal)
    }
    let maySend = try await transact { [attempt] transaction in
      guard let complaint = try transaction.complaint(id, in: app.homeEnvironment) else {
        throw CodedError<EngineErrorCode>(.complaintUnknown)
      }
      let story = try Self.story(of: complaint, transaction)
      try act.check(story)
      if let attempt {
        guard attempt.talk == story.talk, try attempt.begin(in: transaction) else { return false }
      }
      try transaction.insert(act.entry(about: complaint, by: reason, at: transaction.now))
      return true
    }
    guard maySend else {
      // The page that is read next shows who wrote.
      try await learnComplaint(id, for: app)
      throw CodedError<EngineErrorCode>(
        .complaintNotChanged, "Somebody wrote since you read the talk, or an answer is on its way. Read it again.")
    }
    let reply = await gateway.send(call)
    if let attempt { try await end(attempt, with: reply.outcome, of: id, for: app) }
    try await learnComplaint(id, for: app)
    switch reply.outcome.result {
    case .answered: return
    case .refused(let error): throw CodedError<EngineErrorCode>(.complaintNotChanged, "\(error)")
    case .unknown(let why): throw CodedError<EngineErrorCode>(.complaintOutcomeUnknown, why.summary)
    }
  }

  /// Keeps what became of an answer. One without a known outcome stays, so that nobody sends another one at once.
  private func end(
    _ attempt: AnswerAttempt, with outcome: WeChatPayOutcome<ComplaintAccepted>, of id: String, for app: AppPolicy
  ) async throws {
    let isTaken: Bool
    switch outcome.result {
    case .answered: isTaken = true
    case .refused: isTaken = false
    case .unknown(let why):
      guard why.isCertainlyUnprocessed else { return }
      isTaken = false
    }
    try await transact { transaction in
      try attempt.end(isTaken: isTaken, in: transaction)
      guard isTaken, var complaint = try transaction.complaint(id, in: app.homeEnvironment) else { return }
      complaint.answeredAt = complaint.answeredAt ?? transaction.now
      try transaction.put(complaint)
    }
  }

  /// A picture of a complaint, by its place among all of them; nil if WeChat Pay does not hand it out.
  package func complaintPicture(
    _ place: Int, of id: String, for app: AppPolicy
  ) async throws -> (bytes: [UInt8], type: String)? {
    let story = try await tellComplaint(id, of: app)
    guard let gateway = weChatPay?.gateways[app.id], story.pictures.indices.contains(place),
      let picture = ComplaintPicture(story.pictures[place], hosts: gateway.access.hosts),
      let bytes = await gateway.download(picture), let type = ComplaintPicture.type(of: bytes)
    else { return nil }
    return (bytes, type)
  }
}

extension ComplaintStory {
  /// The addresses of all pictures: those of the complaint, then those of the talk.
  package var pictures: [String] {
    Array(((facts?.pictures ?? []) + history.flatMap(\.pictures)).prefix(ComplaintFacts.picturesMax))
  }
}

extension ComplaintAct {
  fileprivate func call(
    about id: String, mchid: String
  ) throws(CodedError<WeChatPayRequestErrorCode>) -> WeChatPayCall<ComplaintAccepted> {
    switch self {
    case .answer(let text, _): try .answerComplaint(id, text, mchid: mchid)
    case .complete: .completeComplaint(id, mchid: mchid)
    case .approveRefund: try .decideComplaintRefund(id, .approve)
    case .refuseRefund(let why): try .decideComplaintRefund(id, .refuse(reason: why))
    }
  }

  fileprivate func check(_ story: ComplaintStory) throws {
    guard story.complaint.isOpen else {
      throw CodedError<EngineErrorCode>(.complaintNotChanged, "It is over.")
    }
    switch self {
    case .answer, .refuseRefund: return
    case .approveRefund:
      guard story.refunds.contains(where: { $0.state.counts }) else {
        throw CodedError<EngineErrorCode>(.complaintNotChanged, "Nothing was refunded: refund the payment first.")
      }
    case .complete:
      if let open = story.refunds.first(where: { !$0.state.isFinal }) {
        throw CodedError<EngineErrorCode>(
          .complaintNotChanged, "The refund \(open.number) is \(open.state.name): the customer has no money yet.")
      }
    }
  }

  fileprivate func entry(about complaint: Complaint, by reason: OperatorReason, at now: Timestamp) -> JournalEntry {
    var details: [(String, JSONValue?)] = [
      ("complaint", .string(complaint.id)), ("operator", .string(reason.name)), ("reason", .string(reason.text)),
    ]
    let event: JournalEvent
    switch self {
    case .answer(let text, _):
      event = .complaintAnswered
      details.append(("text", .string(text)))
    case .refuseRefund(let text):
      event = .complaintRefundRefused
      details.append(("text", .string(text)))
    case .approveRefund: event = .complaintRefundApproved
    case .complete: event = .complaintCompleted
    }
    return JournalEntry(
      event, in: complaint.appEnvironment, at: now, order: complaint.order, payment: nil,
      details: JSONValue.members(details).text)
  }
}

extension PaymentEngine {
  /// The complaints of an app, those opened last first.
  package func listComplaints(
    of app: AppPolicy, openOnly: Bool, before last: (openedAt: Timestamp, id: String)?, limit: Int
  ) async throws -> [Complaint] {
    try await read { reader in
      openOnly
        ? try reader.openComplaints(in: app.homeEnvironment, limit: limit)
        : try reader.complaints(in: app.homeEnvironment, before: last, limit: limit)
    }
  }

  /// The complaints about a user's orders, those opened last first.
  package func complaints(
    of user: UserIdentifier, in appEnvironment: AppEnvironment
  ) async throws -> [Complaint] {
    try await read { try $0.complaints(of: user, in: appEnvironment, limit: 20) }
  }
}
