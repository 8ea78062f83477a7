package import PaymentPrimitives
import SimulatorCore
package import StrictJSON

/// A notification from its event to its last attempt. Its content is fixed when the event happens; each attempt has a
/// new signature.
package struct SimulatedPaymentNotification: Hashable, Sendable {
  package enum State: Hashable, Sendable {
    case waiting(until: Timestamp)
    case accepted
    case givenUp
    /// Never sent: a behaviour setting prevented it, or the merchant has set no APIv3 key.
    case neverSent
  }

  package struct Attempt: Hashable, Sendable {
    /// When the attempt began, by the simulator's clock.
    package let date: Timestamp
    /// The planned fault of the attempt: `probe`, `loseAttempt`, …; nil for a correct one.
    package let fault: WeChatPayFault?
    /// The HTTP status of the answer; nil when none came in time.
    package let status: Int?

    /// Whether the server accepted it: only the status decides.
    package var isAccepted: Bool { status == 200 || status == 204 }
  }

  /// Unique, and the same in each attempt.
  package let id: String
  package let operation: WeChatPayOperation
  package let mchid: String
  package let url: String
  /// `TRANSACTION.SUCCESS`, …
  package let eventType: String
  package let createdAt: Timestamp
  package let plaintext: String
  /// The nonce of its encryption.
  package let nonce: String
  /// The planned fault of the whole notification.
  package let fault: WeChatPayFault?
  package internal(set) var attempts: [Attempt] = []
  package internal(set) var state: State

  /// The delay from each attempt to the next one: fifteen over a day. Source: WeChat Pay, payment notifications.
  package static let delays: [TimeSpan] = [
    .seconds(15), .seconds(15), .seconds(30), .minutes(3), .minutes(10), .minutes(20), .minutes(30), .minutes(30),
    .minutes(30), .minutes(60), .hours(3), .hours(3), .hours(3), .hours(6), .hours(6),
  ]

  func after(_ attempt: Attempt) -> SimulatedPaymentNotification {
    var next = self
    next.attempts.append(attempt)
    if attempt.isAccepted {
      next.state = .accepted
    } else if next.attempts.count <= Self.delays.count {
      next.state = .waiting(until: attempt.date + Self.delays[next.attempts.count - 1])
    } else {
      next.state = .givenUp
    }
    return next
  }
}

extension SimulatedPaymentNotification {
  /// The notification as the control API shows it.
  package var json: JSONValue {
    var members = logJSON.object ?? []
    members.removeAll { $0.name == "plaintext" || $0.name == "nonce" }
    return .object(members)
  }

  var logJSON: JSONValue {
    let (word, moment): (String, Timestamp?) =
      switch state {
      case .waiting(let moment): ("waiting", moment)
      case .accepted: ("accepted", nil)
      case .givenUp: ("givenUp", nil)
      case .neverSent: ("neverSent", nil)
      }
    return .members([
      ("id", .string(id)), ("operation", .string(operation.rawValue)), ("mchid", .string(mchid)),
      ("url", .string(url)), ("event_type", .string(eventType)), ("createdAt", .integer(createdAt.milliseconds)),
      ("plaintext", .string(plaintext)), ("nonce", .string(nonce)), ("fault", fault.map { .string($0.rawValue) }),
      ("attempts", .array(attempts.map(\.json))), ("state", .string(word)),
      ("nextAttempt", moment.map { .integer($0.milliseconds) }),
    ])
  }

  init(_ fields: JSONFields) throws(JSONFieldError) {
    id = try fields.string("id")
    operation = try fields.converted("operation", "an operation", WeChatPayOperation.init(rawValue:))
    mchid = try fields.string("mchid")
    url = try fields.string("url")
    eventType = try fields.string("event_type")
    createdAt = try fields.timestamp("createdAt")
    plaintext = try fields.string("plaintext", bytesMax: 32 << 10)
    nonce = try fields.string("nonce")
    fault = try fields.optionallyConverted("fault", "a fault", WeChatPayFault.init(rawValue:))
    switch try fields.string("state") {
    case "accepted": state = .accepted
    case "givenUp": state = .givenUp
    case "neverSent": state = .neverSent
    default: state = .waiting(until: try fields.timestamp("nextAttempt"))
    }
    for item in try fields.array("attempts", countMax: Self.delays.count + 1) {
      attempts.append(try Attempt(JSONFields(item, path: "attempts")))
    }
  }
}

extension SimulatedPaymentNotification.Attempt {
  fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
    date = try fields.timestamp("date")
    fault = try fields.optionallyConverted("fault", "a fault", WeChatPayFault.init(rawValue:))
    status = try fields.optionalInteger("status", in: 100...599).map { Int($0) }
  }

  fileprivate var json: JSONValue {
    .members([
      ("date", .integer(date.milliseconds)), ("fault", fault.map { .string($0.rawValue) }),
      ("status", status.map { .integer($0) }),
    ])
  }
}
