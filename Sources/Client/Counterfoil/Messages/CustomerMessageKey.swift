import CounterfoilAPI

/// Everything that the client may have to say to a customer: each outcome, event and error, by name.
public enum CustomerMessageKey: Hashable, CaseIterable, Sendable {
  /// How a purchase ended.
  case outcome(Outcome)
  /// What happened.
  case event(Event)
  /// Why a purchase did not begin or was refused.
  case error(PurchasingErrorCode)
  /// What WeChat said, each number in its own words (1A.11).
  case weChat(WeChat)

  /// The outcomes, as far as a customer tells them apart.
  public enum Outcome: String, CaseIterable, Sendable {
    /// Granted; granted for an earlier payment; the customer gave up; somebody has to approve; it changes at the next
    /// renewal; nobody knows yet.
    case fulfilled, recovered, cancelled, pendingApproval, renewalChanged, awaitingConfirmation
    /// Judged and not granted to him: by the server's verdict.
    case held, unclaimed, refused, revoked, imported, fulfilledForAnother
  }

  /// The kinds of events.
  public enum Event: String, CaseIterable, Sendable {
    /// The cases of `PurchaseEvent`, by the same names.
    case orderOpen, orderClosed, fulfilled, orderGranted, delivered, notConfirmed, slowCallback, promotedPayment
    /// Those that are for developers and support first.
    case earlierRecordJudged, notGranted, orphan, finishDidNotStick
  }

  /// The numbers of WeChat's responses.
  public enum WeChat: String, CaseIterable, Sendable {
    /// 0, -1, -2, -3, -4, -5, and any other.
    case done, failed, cancelled, notSent, denied, unsupported, unknown

    /// The kind of a number.
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

  /// All of them, in the order of the table.
  public static var allCases: [CustomerMessageKey] {
    Outcome.allCases.map(Self.outcome) + Event.allCases.map(Self.event) + PurchasingErrorCode.allCases.map(Self.error)
      + WeChat.allCases.map(Self.weChat)
  }
}

extension PurchaseOutcome {
  /// What to say of it.
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
  /// What to say of it.
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
  /// What to say of it.
  public var messageKey: CustomerMessageKey {
    weChatCode.map { .weChat(.init(errCode: $0)) } ?? .error(code)
  }
}
