/// The type of an App Store Server Notification (version 2); its `subtype` gives details.
package enum NotificationTypeV2: String, CaseIterable, Sendable {
  /// A subscription began, or began again.
  case subscribed = "SUBSCRIBED"
  case didChangeRenewalPref = "DID_CHANGE_RENEWAL_PREF"
  /// Renewal was turned on or off.
  case didChangeRenewalStatus = "DID_CHANGE_RENEWAL_STATUS"
  case offerRedeemed = "OFFER_REDEEMED"
  case didRenew = "DID_RENEW"
  case expired = "EXPIRED"
  /// The charge for a renewal failed.
  case didFailToRenew = "DID_FAIL_TO_RENEW"
  /// The grace period ended without payment.
  case gracePeriodExpired = "GRACE_PERIOD_EXPIRED"
  /// Apple announced a price increase to the customer, or the customer agreed to it.
  case priceIncrease = "PRICE_INCREASE"
  case refund = "REFUND"
  case refundDeclined = "REFUND_DECLINED"
  case refundReversed = "REFUND_REVERSED"
  /// Apple asks for the consumption of a purchase; an answer is due within 12 hours.
  case consumptionRequest = "CONSUMPTION_REQUEST"
  /// One renewal date was extended.
  case renewalExtended = "RENEWAL_EXTENDED"
  /// The result of a mass extension of renewal dates.
  case renewalExtension = "RENEWAL_EXTENSION"
  /// A family member lost a shared purchase.
  case revoke = "REVOKE"
  /// A test that we requested.
  case test = "TEST"
  /// A token for purchases outside the App Store.
  case externalPurchaseToken = "EXTERNAL_PURCHASE_TOKEN"
  /// A consumable, non-consumable or non-renewing product was bought.
  case oneTimeCharge = "ONE_TIME_CHARGE"
  case rescindConsent = "RESCIND_CONSENT"
  /// Advanced Commerce: a subscription's description changed.
  case metadataUpdate = "METADATA_UPDATE"
  /// Advanced Commerce: a subscription was migrated.
  case migration = "MIGRATION"
  case priceChange = "PRICE_CHANGE"
  /// Seats of a group purchase were given up (2.23).
  case unclaimSeats = "UNCLAIM_SEATS"
}
