package import PaymentPrimitives

/// What happens when a user other than the beneficiary presents an entitlement from the buyer's device. This means
/// two users of an app on one Apple account. Units never move.
package enum RestorePolicy: String, CaseIterable, Sendable {
  /// It stays where it is, and the presenter learns nothing about its beneficiary.
  case keepOwner
  /// It moves to the presenter, at most once a day; the backend receives one reversal and one grant.
  case transfer
  /// The presenter gets it too. Deliveries still name its owner only.
  case share

  /// The most users that can share an entitlement: one Apple account is one person or one family.
  package static let sharesMax = 10
  /// How long an entitlement stays with its new user after a restore.
  package static let transferPause = TimeSpan.days(1)

  /// Whether the policy is about this grant at all: units never move.
  package func applies(to grant: Grant, of payment: Payment) -> Bool {
    guard self != .keepOwner, payment.state.wasGranted, payment.key.store == .appStore,
      case .entitlement = grant.content
    else { return false }
    return true
  }

  /// Whether a claim restores a grant: another user asks for it, and the evidence may come from the buyer's device.
  ///
  /// A queue presents unfinished transactions to the next user who signs in. That alone is no restore; the user must
  /// have asked for it.
  package static func isRestored(_ grant: Grant, by claim: OwnershipClaim, _ claims: ClaimPolicy) -> Bool {
    guard claim.isRestore, claim.user != grant.user, grant.isInForce else { return false }
    switch claim.proof {
    case .fits: return true
    case .missing: return !claims.isStrict
    case .differs, .notDeviceEvidence: return false
    }
  }

  /// Whether an entitlement may move now.
  ///
  /// - Parameter moves: the times of its earlier moves.
  package static func mayMove(after moves: [Timestamp], now: Timestamp) -> Bool {
    moves.allSatisfy { $0 + transferPause <= now }
  }

  /// Whether a paid period moves with its subscription: it is its beneficiary's, and has not ended.
  package static func moves(_ period: Grant, withThatOf beneficiary: UserIdentifier, now: Timestamp) -> Bool {
    guard period.user == beneficiary, period.isInForce, case .entitlement(_, _, let until) = period.content else {
      return false
    }
    return until.map { $0 > now } ?? true
  }
}
