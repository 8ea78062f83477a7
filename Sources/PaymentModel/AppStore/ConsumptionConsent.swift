public import PaymentVocabulary

/// What a user said to the team about telling Apple, when he asks Apple for a refund, how far his purchases are used.
/// Without his consent Apple is told nothing.
public struct ConsumptionConsent: Hashable, Sendable {
  /// The app; the environment is that of its own orders, because consent is a person's and not a purchase's.
  public let realm: Realm
  /// Who.
  public let user: UserIdentifier
  /// Whether he consents.
  public let isGiven: Bool
  /// When the team said so.
  public let at: Timestamp

  /// A user's word.
  public init(realm: Realm, user: UserIdentifier, isGiven: Bool, at: Timestamp) {
    self.realm = realm
    self.user = user
    self.isGiven = isGiven
    self.at = at
  }
}
