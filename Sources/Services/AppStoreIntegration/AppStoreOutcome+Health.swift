import AppStoreProtocol
import HTTPMessages
import PaymentEngine
import PaymentPrimitives

// What an outcome says about the endpoint, and what of it is logged: codes only.

extension AppStoreServerOutcome {
  /// Whether Apple did not accept the key.
  var isUnauthorized: Bool {
    if case .refused(let error) = self { error.code == .notAuthorized } else { false }
  }

  /// Whether Apple has judged the call.
  var isHeard: Bool {
    switch self {
    case .answered, .refused: true
    case .unknown: false
    }
  }

  var health: EndpointThrottle.Health {
    switch self {
    case .answered, .refused: .good
    case .unknown(.noAnswer(let error)): error.health
    case .unknown(.busy), .unknown(.unaskable): .unheard
    case .unknown(.unreadable): .failing
    case .unknown(.undecided(let error)):
      switch error.status {
      case 429: .limited(error.retryAfter)
      case 500...: .failing
      default: .good
      }
    }
  }

  var label: String {
    switch self {
    case .answered: "answered"
    case .refused(let error), .unknown(.undecided(let error)): error.code.rawValue
    case .unknown(.busy): "busy"
    case .unknown: "unknown"
    }
  }

  /// The log event; nil if there is no trouble.
  var trouble: LogEvent? {
    switch self {
    case .answered: nil
    case .refused(let error): LogEvent(.info, "appStore.refused", [("refusal", "\(error)")])
    case .unknown(let why): LogEvent(.warning, "appStore.outcomeUnknown", [("why", why.summary)])
    }
  }
}

extension VerifyReceiptOutcome {
  var health: EndpointThrottle.Health {
    switch self {
    case .answered, .refused, .elsewhere: .good
    case .unknown(.noAnswer(let error)): error.health
    case .unknown(.busy), .unknown(.notAllowed): .unheard
    case .unknown(.unreadable), .unknown(.undecided): .failing
    }
  }

  var label: String {
    switch self {
    case .answered: "answered"
    case .elsewhere: "elsewhere"
    case .refused(let error), .unknown(.undecided(let error)): error.code.rawValue
    case .unknown(.busy): "busy"
    case .unknown: "unknown"
    }
  }

  /// The log event; nil if there is no trouble.
  var trouble: LogEvent? {
    switch self {
    case .answered, .elsewhere: nil
    case .refused(let error): LogEvent(.info, "appStore.refused", [("refusal", "\(error)")])
    case .unknown(let why): LogEvent(.warning, "appStore.outcomeUnknown", [("why", "\(why)")])
    }
  }
}

extension HTTPExchangeError {
  fileprivate var health: EndpointThrottle.Health {
    switch self {
    case .cancelled, .refusedTarget: .unheard
    case .unreachable, .outcomeUnknown, .unreadableAnswer: .failing
    }
  }
}

extension AppStoreServerUncertainty {
  var summary: String {
    switch self {
    case .noAnswer(let error): "no answer: \(error)"
    case .undecided(let error): "undecided: \(error)"
    case .unreadable(let status, let why): "unreadable: status \(status): \(why)"
    case .busy(let until): "not sent: busy until \(until.iso8601)"
    case .unaskable(let environment): "not sent: Apple keeps nothing of \(environment.rawValue)"
    }
  }
}
