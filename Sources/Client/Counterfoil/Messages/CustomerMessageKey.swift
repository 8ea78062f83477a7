import CounterfoilAPI

/// Names each text that the client may show to a customer: one per outcome, event and error.
public enum CustomerMessageKey: Hashable, CaseIterable, Sendable {
  /// The outcome of a purchase.
  case outcome(Outcome)
  /// An event.
  case event(Event)
  /// The reason why a purchase did not begin or failed.
  case error(PurchasingErrorCode)
  /// A WeChat response; each number has its own text (1A.11).
  case weChat(WeChat)

  /// The outcomes that a customer can tell apart.
  public enum Outcome: String, CaseIterable, Sendable {
    /// Granted; granted for an earlier payment; cancelled by the customer; waiting for approval; effective at the next
    /// renewal; not known yet.
    case fulfilled, recovered, cancelled, pendingApproval, renewalChanged, awaitingConfirmation
    /// Judged by the server and not granted to this user.
    case held, unclaimed, refused, revoked, imported, fulfilledForAnother
  }

  /// The kinds of events.
  public enum Event: String, CaseIterable, Sendable {
    /// The cases of `PurchaseEvent`, by the same names.
    case orderOpen, orderClosed, fulfilled, orderGranted, delivered, notConfirmed, slowCallback, promotedPayment
    /// Events mainly for developers and support.
    case earlierRecordJudged, notGranted, orphan, finishDidNotStick
  }

  /// The numbers in WeChat's responses.
  public enum WeChat: String, CaseIterable, Sendable {
    /// 0, -1, -2, -3, -4, -5, and any other.
    case done, failed, cancelled, notSent, denied, unsupported, unknown

    /// Maps a WeChat number to its key.
    public init(errCode: Int) {
      switch errCode {
      case 0: self = .done
      case -1: self = .failed
      case -2: self = .cancelled
      case -3: self = .notSent
      case -4: self = .denied
      case -5: self = .unsupported
      default: self = .unknown
      }
    }
  }

  /// All keys, in the order of the message table.
  public static var allCases: [CustomerMessageKey] {
    Outcome.allCases.map(Self.outcome) + Event.allCases.map(Self.event) + PurchasingErrorCode.allCases.map(Self.error)
      + WeChat.allCases.map(Self.weChat)
  }
}

extension PurchaseOutcome {
  /// The key of the text for this value.
  public var messageKey: CustomerMessageKey {
    switch self {
    case .fulfilled(_, recovered: false): .outcome(.fulfilled)
    case .fulfilled(_, recovered: true): .outcome(.recovered)
    case .cancelled: .outcome(.cancelled)
    case .pendingApproval: .outcome(.pendingApproval)
    case .renewalChanged: .outcome(.renewalChanged)
    case .awaitingConfirmation: .outcome(.awaitingConfirmation)
    case .notGranted(_, let verdict, _):
      switch verdict {
      case .fulfilled: .outcome(.fulfilled)
      case .fulfilledForAnother: .outcome(.fulfilledForAnother)
      case .revoked: .outcome(.revoked)
      case .imported: .outcome(.imported)
      case .held: .outcome(.held)
      case .unclaimed: .outcome(.unclaimed)
      case .refused: .outcome(.refused)
      case .pending, .unpaid: .outcome(.awaitingConfirmation)
      }
    }
  }
}

extension PurchaseEvent {
  /// The key of the text for this value.
  public var messageKey: CustomerMessageKey {
    switch self {
    case .orderOpen: .event(.orderOpen)
    case .orderClosed: .event(.orderClosed)
    case .fulfilled: .event(.fulfilled)
    case .orderGranted: .event(.orderGranted)
    case .delivered: .event(.delivered)
    case .notConfirmed: .event(.notConfirmed)
    case .slowCallback: .event(.slowCallback)
    case .promotedPayment: .event(.promotedPayment)
    case .earlierRecordJudged: .event(.earlierRecordJudged)
    case .notGranted: .event(.notGranted)
    case .orphan: .event(.orphan)
    case .finishDidNotStick: .event(.finishDidNotStick)
    }
  }
}

extension PurchasingError {
  /// The key of the text for this value.
  public var messageKey: CustomerMessageKey {
    weChatCode.map { .weChat(.init(errCode: $0)) } ?? .error(code)
  }
}
