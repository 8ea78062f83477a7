package import AppStoreProtocol

/// A pair of type and subtype that Apple defines for notifications (rule AS-NOTE-5).
package struct NotificationRow: Hashable, Sendable, CustomStringConvertible {
  package let type: NotificationTypeV2
  package let subtype: Subtype?

  init(_ type: NotificationTypeV2, _ subtype: Subtype? = nil) {
    self.type = type
    self.subtype = subtype
  }

  /// For example `SUBSCRIBED INITIAL_BUY`.
  package var description: String { [type.rawValue, subtype?.rawValue].compactMap(\.self).joined(separator: " ") }

  /// All pairs of Apple's table, version 2.23.
  package static let all: [NotificationRow] = [
    .init(.oneTimeCharge), .init(.subscribed, .initialBuy), .init(.subscribed, .resubscribe), .init(.didRenew),
    .init(.didRenew, .billingRecovery), .init(.offerRedeemed), .init(.offerRedeemed, .upgrade),
    .init(.offerRedeemed, .downgrade), .init(.didChangeRenewalPref), .init(.didChangeRenewalPref, .upgrade),
    .init(.didChangeRenewalPref, .downgrade), .init(.didChangeRenewalStatus, .autoRenewEnabled),
    .init(.didChangeRenewalStatus, .autoRenewDisabled), .init(.didFailToRenew), .init(.didFailToRenew, .gracePeriod),
    .init(.gracePeriodExpired), .init(.expired), .init(.expired, .voluntary), .init(.expired, .billingRetry),
    .init(.expired, .priceIncrease), .init(.expired, .productNotForSale), .init(.priceIncrease, .pending),
    .init(.priceIncrease, .accepted), .init(.refund), .init(.refund, .seats), .init(.refundDeclined),
    .init(.refundReversed), .init(.consumptionRequest), .init(.revoke), .init(.renewalExtended),
    .init(.renewalExtension, .summary), .init(.renewalExtension, .failure), .init(.rescindConsent),
    .init(.externalPurchaseToken, .unreported), .init(.externalPurchaseToken, .created),
    .init(.externalPurchaseToken, .activeTokenReminder), .init(.metadataUpdate), .init(.migration),
    .init(.priceChange), .init(.unclaimSeats), .init(.test),
  ]
}
