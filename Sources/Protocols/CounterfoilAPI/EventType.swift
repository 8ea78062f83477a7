/// The types of events beside `grant.created`, `grant.reversed` and `grant.reinstated`. An endpoint receives those that
/// its `types` name. A name never changes; later versions have more.
package enum EventType: String, Hashable, CaseIterable, Sendable {
  // Money: each charge is told by exactly one of the first three.

  /// A purchase that is no subscription was charged.
  case purchaseCompleted = "purchase.completed"
  /// A buyer bought a period of a subscription: the first one, one after a lapse, or one of another plan.
  case subscriptionPurchased = "subscription.purchased"
  /// The store renewed a subscription and charged its price.
  case subscriptionRenewed = "subscription.renewed"
  /// The store gave money back.
  case purchaseRefunded = "purchase.refunded"
  /// The store took a refund back.
  case purchaseRefundUndone = "purchase.refundUndone"

  // Subscriptions

  case renewalTurnedOn = "subscription.renewalTurnedOn"
  case renewalTurnedOff = "subscription.renewalTurnedOff"
  /// The end of a paid period moved: the store extended it, or the buyer changed the plan.
  case periodChanged = "subscription.periodChanged"
  /// The subscription renews to another product.
  case planChanged = "subscription.planChanged"
  case gracePeriodBegan = "subscription.gracePeriodBegan"
  case billingRetryBegan = "subscription.billingRetryBegan"
  case billingRecovered = "subscription.billingRecovered"
  case subscriptionExpired = "subscription.expired"
  /// The buyer is asked about a higher price, or has agreed.
  case priceIncreaseAsked = "subscription.priceIncreaseAsked"
  case priceIncreaseAccepted = "subscription.priceIncreaseAccepted"
  /// The first period under an offer.
  case offerRedeemed = "offer.redeemed"

  // Refunds that are asked for

  case refundAsked = "refund.asked"
  case refundDeclined = "refund.declined"

  // Payments without an owner, orders, balances

  case paymentHeld = "payment.held"
  case paymentUnclaimed = "payment.unclaimed"
  /// A payment that was held or unclaimed was given to a user.
  case paymentClaimed = "payment.claimed"
  case orderClosed = "order.closed"
  case balanceDebited = "balance.debited"
  case balanceCredited = "balance.credited"
  /// A user was given an entitlement until a date, without a payment. Nothing tells its end by that date.
  case promotionalEntitlementGiven = "promotionalEntitlement.given"
  case promotionalEntitlementRevoked = "promotionalEntitlement.revoked"

  // Users

  /// A user was merged into another one, who has everything since then.
  case userMerged = "user.merged"
  /// A user was erased. What the ledger needs is kept under an alias.
  case userErased = "user.erased"
}
