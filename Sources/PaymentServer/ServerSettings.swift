public import HTTPMessages
public import PaymentModel
public import PaymentVocabulary

/// What a server is told by its configuration.
public struct ServerSettings: Sendable {
  /// The keys that user tokens may be signed with, by `kid`.
  public var userTokenKeys: [CredentialIdentifier: UserTokenKey]
  /// How often callers may ask.
  public var rates: RateSettings
  /// The proxies in front of the server. Client addresses are trusted from them alone. All callers behind another proxy
  /// count as one.
  public var trustedProxies: TrustedProxies
  /// Operator keys of this process alone, which no database holds: commands on this machine ask the server with them.
  public var localOperatorKeys: [APIKey]
  /// Set in a simulated profile: every answer says so.
  public var isSimulated: Bool
  /// The version that `/livez` and the OpenAPI document name.
  public var version: String

  /// Settings with the usual rates and no proxy.
  public init(
    userTokenKeys: [CredentialIdentifier: UserTokenKey], isSimulated: Bool, version: String
  ) {
    self.userTokenKeys = userTokenKeys
    self.rates = RateSettings()
    self.trustedProxies = TrustedProxies()
    self.localOperatorKeys = []
    self.isSimulated = isSimulated
    self.version = version
  }
}
