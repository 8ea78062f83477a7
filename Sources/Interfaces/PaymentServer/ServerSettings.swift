package import HTTPMessages
package import PaymentModel
package import PaymentPrimitives

package struct ServerSettings: Sendable {
  /// The keys that user tokens may be signed with, by `kid`.
  package var userTokenKeys: [CredentialIdentifier: UserTokenKey]
  package var rates: RateSettings
  /// The proxies in front of the server. Client addresses are trusted only from them. All callers behind another proxy
  /// count as one.
  package var trustedProxies: TrustedProxies
  /// The web pages that may call the routes of users from a browser.
  package var webOrigins: Set<WebOrigin> = []
  /// Operator keys of this process only, which are not in the database: commands on this machine call the server with
  /// them.
  package var localOperatorKeys: [APIKey]
  /// Set in a simulated profile: every answer says so.
  package var isSimulated: Bool
  /// How many calls may wait for their order at the same time; further ones are answered at once.
  package var waitingReadsMax = WaitSlots.inAll
  /// What a commit is worth by the configuration, for `/readyz?verbose`; nil for a database in a file.
  package var durability: String?
  /// The version that `/livez` and the OpenAPI document name.
  package var version: String

  /// Settings with the default rates and no proxy.
  package init(
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
