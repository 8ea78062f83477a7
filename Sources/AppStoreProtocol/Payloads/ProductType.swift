/// The kind of a product: `type` of a transaction.
public enum ProductType: String, CaseIterable, Sendable {
  /// A subscription that Apple renews.
  case autoRenewableSubscription = "Auto-Renewable Subscription"
  /// Bought once, kept for ever.
  case nonConsumable = "Non-Consumable"
  /// Used up and bought again.
  case consumable = "Consumable"
  /// A period that the app itself counts.
  case nonRenewingSubscription = "Non-Renewing Subscription"
}
