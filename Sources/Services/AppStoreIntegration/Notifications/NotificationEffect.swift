import AppStoreProtocol
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// The effect of a notification type (Apple's `notificationType`). A type proves nothing. The data that Apple signed
/// inside takes effect, and its own dates decide what is newer.
enum NotificationEffect: Hashable, Sendable {
  /// The signed transaction and the signed renewal info take effect.
  case facts
  /// It is understood, and nothing is to be done.
  case understood
  /// It is stored and counted; its content has no effect in this version.
  case kept

  /// The effect of a type, as received; types that this version does not know are kept.
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

  /// The types with facts that take effect.
  static var typesWithFacts: [String] {
    NotificationTypeV2.allCases.map(\.rawValue).filter { NotificationEffect(type: $0) == .facts }
  }
}

struct VerifiedNotification: Sendable {
  let app: AppPolicy
  let environment: StoreEnvironment
  /// Apple's `notificationUUID`.
  let id: String
  let type: String
  let subtype: String?
  let signedDate: Timestamp
  /// The facts of the signed transaction, with the signed text; nil if there is none, or it is not understood.
  let transaction: (facts: VerifiedPayment, signed: String)?
  /// The facts of the signed renewal info.
  let renewal: VerifiedRenewal?
  /// Why the customer requests a refund, if Apple asks how much of a purchase is consumed.
  let consumptionReason: String?

  /// Whether Apple asks how much of a purchase is consumed.
  var asksForConsumption: Bool { NotificationTypeV2(rawValue: type) == .consumptionRequest }

  /// Whether part of it takes effect.
  var takesEffect: Bool { NotificationEffect(type: type) == .facts && (transaction != nil || renewal != nil) }

  /// The update of the payment in the notification.
  func update(origin: Evidence.Origin = .notification) -> PaymentUpdate? {
    guard let transaction else { return nil }
    var update = PaymentUpdate(facts: transaction.facts, evidence: transaction.signed, origin: origin)
    if NotificationTypeV2(rawValue: type) == .refundDeclined { update.refundDeclinedAt = signedDate }
    if NotificationTypeV2(rawValue: type) == .refundReversed { update.refundReversedAt = transaction.facts.signedDate }
    // Each is signed separately: a renewal of another subscription does not belong to this update.
    if let renewal, renewal.subscription == transaction.facts.originalKey { update.renewal = renewal }
    return update
  }
}
