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
  /// What a restore found.
  case restored(Restored)
  /// The state of an entitlement.
  case entitlement(EntitlementState)

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
    /// WeChat was opened.
    case openedWeChat
    /// Events mainly for developers and support.
    case earlierRecordJudged, notGranted, orphan, finishDidNotStick
  }

  /// What a restore found. `{count}` in a text stands for the number of purchases.
  public enum Restored: String, CaseIterable, Sendable {
    /// Nothing; one purchase; several.
    case nothing, one, several
    /// Only purchases of another account of the app.
    case otherAccount
    /// Not everything could be checked yet.
    case unfinished
    /// Something that the server did not grant: support can help.
    case setAside
  }

  /// The states of an entitlement that a customer can tell apart. `{date}` in a text stands for its date.
  public enum EntitlementState: String, CaseIterable, Sendable {
    /// For good; until a date; renewing at a date.
    case lasting, until, renews
    /// The renewal could not be charged: access until a date; no access.
    case gracePeriod, billingRetry
    /// Over; refunded; taken back; no longer shared in the family.
    case expired, refunded, revoked, familySharingEnded
    /// A state that this version of the app does not know; no access.
    case unknown
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
      + WeChat.allCases.map(Self.weChat) + Restored.allCases.map(Self.restored)
      + EntitlementState.allCases.map(Self.entitlement)
  }
}

extension CustomerMessageKey {
  /// The stable name of the text, as a String Catalog has it: `outcome.fulfilled`, `error.client_not_signed_in`.
  public var name: String {
    switch self {
    case .outcome(let outcome): "outcome." + outcome.rawValue
    case .event(let event): "event." + event.rawValue
    case .error(let code): "error." + code.rawValue
    case .weChat(let said): "weChat." + said.rawValue
    case .restored(let found): "restored." + found.rawValue
    case .entitlement(let state): "entitlement." + state.rawValue
    }
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
    case .openedWeChat: .event(.openedWeChat)
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

extension RecoveryReport {
  /// The key of the text about a restore with this report; nil if the customer cancelled it.
  public var restoreMessageKey: CustomerMessageKey? {
    guard !isCancelled else { return nil }
    let own = fulfilled - ofOtherAccounts
    if own > 0 { return .restored(own == 1 ? .one : .several) }
    if waiting > 0 || !isComplete { return .restored(.unfinished) }
    if ofOtherAccounts > 0 { return .restored(.otherAccount) }
    return .restored(setAside > 0 ? .setAside : .nothing)
  }
}

extension Entitlement {
  /// The key of the text for its state.
  public var messageKey: CustomerMessageKey {
    switch (state, reason) {
    case (.active, _) where expiresAt == nil: .entitlement(.lasting)
    case (.active, _): .entitlement(willRenew == true ? .renews : .until)
    case (.gracePeriod, _): .entitlement(.gracePeriod)
    case (.billingRetry, _): .entitlement(.billingRetry)
    case (.expired, .refunded?), (.revoked, .refunded?): .entitlement(.refunded)
    case (.expired, .familySharingEnded?), (.revoked, .familySharingEnded?): .entitlement(.familySharingEnded)
    case (.expired, _): .entitlement(.expired)
    case (.revoked, _): .entitlement(.revoked)
    default: .entitlement(.unknown)
    }
  }

  /// The date that its text names: the end of access.
  public var messageDate: Timestamp? { state == .gracePeriod ? gracePeriodExpiresAt ?? expiresAt : expiresAt }
}

extension PurchasingError {
  /// The key of the text for this value.
  public var messageKey: CustomerMessageKey {
    weChatCode.map { .weChat(.init(errCode: $0)) } ?? .error(code)
  }
}
