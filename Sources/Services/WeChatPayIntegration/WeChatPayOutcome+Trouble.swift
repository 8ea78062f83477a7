import PaymentPrimitives
import WeChatPayProtocol

extension WeChatPayOutcome {
  /// Whether WeChat Pay refused the signature of the request: another key may help. Such an answer may be unsigned, so
  /// it is believed only as far as the call is sent again.
  var refusesSignature: Bool {
    switch result {
    case .refused(let error): error.code == .signError
    case .unknown(.unverified(_, 401, let claim)): claim?.code == .signError
    case .answered, .unknown: false
    }
  }

  /// Whether WeChat Pay has judged the call.
  var isHeard: Bool {
    switch result {
    case .answered, .refused: true
    case .unknown: refusesSignature
    }
  }
}

extension WeChatPayUncertainty {
  /// The text for the log: only codes of what was signed or claimed.
  var summary: String {
    switch self {
    case .noAnswer(let error): "no answer: \(error)"
    case .unverified(let error, let status, let claim):
      "unverified: \(error.code.rawValue), status \(status)" + (claim.map { ", claims \($0.code.rawValue)" } ?? "")
    case .undecided(let error): "undecided: \(error)"
    case .unreadable(let text): "unreadable: \(text)"
    }
  }
}
