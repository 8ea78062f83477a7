package import PaymentPrimitives

/// The user's consent, given to the team, to consumption data. Apple receives the data when the user asks Apple for a
/// refund. Without consent, Apple receives nothing.
package struct ConsumptionConsent: Hashable, Sendable {
  /// The app. The environment is that of the app's own orders: consent belongs to a person, not to a purchase.
  package let appEnvironment: AppEnvironment
  package let user: UserIdentifier
  package let isGiven: Bool
  package let at: Timestamp

  package init(appEnvironment: AppEnvironment, user: UserIdentifier, isGiven: Bool, at: Timestamp) {
    self.appEnvironment = appEnvironment
    self.user = user
    self.isGiven = isGiven
    self.at = at
  }
}
