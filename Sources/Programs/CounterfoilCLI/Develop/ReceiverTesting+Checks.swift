import CounterfoilAPI
import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization

// The checks one by one. Each returns what is wrong; nil if nothing is.
extension ReceiverTesting {
  func problem(_ check: ReceiverCheck) async throws -> String? {
    switch check {
    case .goodSignature, .secondSignature, .otherVersion: try await accepted(check)
    case .missingSignature, .missingTimestamp, .wrongSignature, .oldTimestamp, .futureTimestamp, .otherId,
      .changedBody, .oversizedBody:
      try await mustRefuse(refused(check))
    case .sameIdTwice, .twentyAtOnce, .afterRestart, .olderOccurrence, .cutAndRepeated: try await once(check)
    case .reversed, .partlyReversed, .reversedBeforeCreated, .reinstated: try await takenBack(check)
    case .unknownType, .unknownField, .otherEnvironment: try await foreign(check)
    case .answersInTime:
      let slowest = seen.withLock(\.slowestMilliseconds)
      if slowest > UInt64(Self.answerLimit.milliseconds) { return "an answer took \(slowest) ms" }
    case .noRedirect:
      let redirects = seen.withLock(\.redirects)
      if redirects > 0 { return "\(redirects) answers were redirects" }
    }
    return nil
  }

  private func accepted(_ check: ReceiverCheck) async throws {
    let foreign = Secret(Array("another secret of a test".utf8))
    switch check {
    case .goodSignature:
      let body = delivery(check) { $0.content = .entitlement("premium", expiresAt: nil) }
      try await mustTake(message(body))
    case .secondSignature:
      var message = message(delivery(check))
      let other = signature(message.id, message.body, at: message.at, by: foreign)
      message.fields["webhook-signature"] = other + " " + (message.fields["webhook-signature"] ?? "")
      try await mustTake(message)
    default:
      var message = message(delivery(check))
      message.fields["webhook-signature", default: ""] += " v9,bm90IGtub3duIHlldA=="
      try await mustTake(message)
    }
  }

  private func refused(_ check: ReceiverCheck) -> ReceiverMessage {
    let body = delivery(check)
    var good = message(body)
    switch check {
    case .missingSignature: good.fields["webhook-signature"] = nil
    case .missingTimestamp: good.fields["webhook-timestamp"] = nil
    case .wrongSignature:
      let text = Secret(Array(settings.secretText.utf8))
      good.fields["webhook-signature"] = signature(good.id, good.body, at: good.at, by: text)
    case .oldTimestamp: return message(body, after: -.minutes(10))
    case .futureTimestamp: return message(body, after: .minutes(10))
    case .otherId: return message(body.id.text + "_other", good.body)
    case .changedBody: good.body += Array("\n".utf8)
    default:
      let large = delivery(check) { $0.metadata = .string(String(repeating: "x", count: 4 << 20)) }
      return message(large)
    }
    return good
  }

  private func once(_ check: ReceiverCheck) async throws {
    let first = message(delivery(check))
    switch check {
    case .sameIdTwice:
      try await mustTake(first)
      // Each attempt of the server has a timestamp of its own.
      try await mustTake(message(first.id, first.body, after: .seconds(2)))
    case .twentyAtOnce:
      let statuses = await withTaskGroup(of: Int?.self) { group in
        for _ in 0..<20 { group.addTask { [self] in await send(first) } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      // Some may ask to come again; one must have been taken.
      guard statuses.contains(where: isTaken) else { throw Unmet("none of twenty was acknowledged") }
      try await mustTake(first)
    case .afterRestart:
      guard let restart = settings.restartURL else { throw NotChecked() }
      try await mustTake(first)
      let answer = try? await exchange.send(HTTPRequest("POST", restart), Self.patience)
      guard isTaken(answer?.status) else { throw Unmet("\(restart) answered \(Self.text(answer?.status))") }
      try await mustTake(first)
    case .olderOccurrence:
      let now = dependencies.now()
      try await mustTake(message(delivery(check) { $0.occurredAt = now - .days(1) }))
    default:
      // The connection is given up at once: the receiver may have booked, and nobody knows.
      await send(first, within: .milliseconds(20))
      var taken = false
      for attempt in 0..<5 where !taken {
        if attempt > 0 { try await dependencies.sleep(.seconds(1)) }
        taken = isTaken(await send(first))
      }
      guard taken else { throw Unmet("the repeat was not acknowledged") }
    }
    try await mustHave(Self.amount, check)
  }

  private func takenBack(_ check: ReceiverCheck) async throws {
    let all = Self.amount
    let (bodies, left): ([DeliveryBody], Int64)
    switch check {
    case .reversed:
      (bodies, left) = ([delivery(check), reversal(check, sequence: 2, takenBack: all, of: all)], 0)
    case .partlyReversed:
      bodies = [
        delivery(check), reversal(check, sequence: 2, takenBack: 30, of: 30),
        reversal(check, sequence: 3, takenBack: 50, of: 20),
      ]
      left = all - 50
    case .reversedBeforeCreated:
      (bodies, left) = ([reversal(check, sequence: 2, takenBack: 40, of: 40), delivery(check)], all - 40)
    default:
      bodies = [
        delivery(check), reversal(check, sequence: 2, takenBack: all, of: all),
        reversal(check, sequence: 3, takenBack: 0, of: all, "grant.reinstated"),
      ]
      left = all
    }
    for body in bodies { try await mustTake(message(body)) }
    try await mustHave(left, check)
  }

  private func foreign(_ check: ReceiverCheck) async throws {
    switch check {
    case .unknownType:
      try await mustTake(message(delivery(check, "subscription.ofALaterVersion")))
      try await mustHave(0, check)
    case .unknownField:
      let body = delivery(check)
      let members = (body.json.object ?? []) + [JSONMember("ofALaterVersion", .members([("a", .array([.integer(1)]))]))]
      try await mustTake(message(body.id.text, JSONValue.object(members).bytes))
      try await mustHave(Self.amount, check)
    default:
      let other: StoreEnvironment = settings.environment == .sandbox ? .production : .sandbox
      try await mustTake(message(delivery(check) { $0.environment = other }))
      try await mustHave(0, check)
    }
  }
}
