/// The kind of a product: `type` of a transaction.
package enum ProductType: String, CaseIterable, Sendable {
  case autoRenewableSubscription = "Auto-Renewable Subscription"
  case nonConsumable = "Non-Consumable"
  case consumable = "Consumable"
  /// A period that the app itself counts.
  case nonRenewingSubscription = "Non-Renewing Subscription"
}
