package import PaymentModel
package import PaymentPrimitives

/// Entitlements that were given without a payment.
package protocol PromotionalEntitlementReader {
  func promotionalEntitlement(_ key: String, in appEnvironment: AppEnvironment) throws -> PromotionalEntitlement?
  /// A user's, those that hold longest first, by (end, key); at most `limit`.
  func promotionalEntitlements(of user: UserIdentifier, in appEnvironment: AppEnvironment, limit: Int) throws
    -> [PromotionalEntitlement]
  /// How many were given in that time, by name. It reads them all: for reports.
  func countOfPromotionalEntitlements(givenIn range: Range<Timestamp>, in appEnvironment: AppEnvironment) throws
    -> [PromotionalCount]
}

/// The writes about them.
package protocol PromotionalEntitlementWriter {
  /// Adds one. Unique: its key in the app environment.
  func insert(_ promotional: PromotionalEntitlement) throws
  /// Replaces its user and its early end. Any other difference, another early end, or a missing one fails with
  /// `inconsistent`.
  func update(_ promotional: PromotionalEntitlement) throws
}
