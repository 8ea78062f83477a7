import AppStoreProtocol
import PaymentModel
import PaymentPrimitives

/// What a type of notification does here (Apple's `notificationType`). A notification proves nothing by its type: what
/// takes effect is what Apple signed inside, and its own dates decide what is newer.
enum NotificationEffect: Hashable, Sendable {
  /// The signed transaction and the signed renewal info take effect.
  case facts
  /// Nothing is to be done, and it is understood.
  case understood
  /// It is kept and counted: what it speaks of has no effect in this version.
  case kept

  /// The effect of a type, as it came; types that this version does not know are kept.
  init(type: String) {
    switch NotificationTypeV2(rawValue: type) {
    case .oneTimeCharge, .subscribed, .didRenew, .offerRedeemed, .didChangeRenewalPref, .didChangeRenewalStatus,
      .didFailToRenew, .gracePeriodExpired, .expired, .priceIncrease, .refund, .refundDeclined, .refundReversed,
      .consumptionRequest, .revoke, .renewalExtended:
      self = .facts
    case .test: self = .understood
    case .renewalExtension, .rescindConsent, .externalPurchaseToken, .metadataUpdate, .migration, .priceChange,
      .unclaimSeats, nil:
      self = .kept
    }
  }

  /// The types whose facts take effect.
  static var typesWithFacts: [String] {
    NotificationTypeV2.allCases.map(\.rawValue).filter { NotificationEffect(type: $0) == .facts }
  }
}

struct VerifiedNotification: Sendable {
  let app: AppSettings
  let environment: StoreEnvironment
  /// Apple's `notificationUUID`.
  let id: String
  let type: String
  let subtype: String?
  let signedDate: Timestamp
  /// What the signed transaction states, with the text that was signed; nil where there is none, or it is not
  /// understood.
  let transaction: (facts: VerifiedPayment, signed: String)?
  /// What the signed renewal info states.
  let renewal: VerifiedRenewal?
  /// Why the customer wants his money back, where Apple asks how far a purchase is used.
  let consumptionReason: String?

  /// Whether Apple asks how far a purchase is used.
  var asksForConsumption: Bool { NotificationTypeV2(rawValue: type) == .consumptionRequest }

  /// Whether something of it takes effect.
  var takesEffect: Bool { NotificationEffect(type: type) == .facts && (transaction != nil || renewal != nil) }

  /// The news of the payment that it speaks of.
  func news(origin: Evidence.Origin = .notification) -> PaymentUpdate? {
    guard let transaction else { return nil }
    var news = PaymentUpdate(facts: transaction.facts, evidence: transaction.signed, origin: origin)
    if NotificationTypeV2(rawValue: type) == .refundReversed { news.refundReversedAt = transaction.facts.signedDate }
    // Both are signed on their own: one of another line is no news of this one.
    if let renewal, renewal.line == transaction.facts.line { news.renewal = renewal }
    return news
  }
}
