package import PaymentPrimitives

/// What a user said to the team about telling Apple, when he asks Apple for a refund, how far his purchases are used.
/// Without his consent Apple is told nothing.
package struct ConsumptionConsent: Hashable, Sendable {
  /// The app; the environment is that of its own orders, because consent is a person's and not a purchase's.
  package let realm: AppEnvironment
  package let user: UserIdentifier
  package let isGiven: Bool
  package let at: Timestamp

  package init(realm: AppEnvironment, user: UserIdentifier, isGiven: Bool, at: Timestamp) {
    self.realm = realm
    self.user = user
    self.isGiven = isGiven
    self.at = at
  }
}
