/// The kind of a product: `type` of a transaction.
package enum ProductType: String, CaseIterable, Sendable {
  case autoRenewableSubscription = "Auto-Renewable Subscription"
  case nonConsumable = "Non-Consumable"
  case consumable = "Consumable"
  /// A subscription with a period that the app itself manages.
  case nonRenewingSubscription = "Non-Renewing Subscription"
}
