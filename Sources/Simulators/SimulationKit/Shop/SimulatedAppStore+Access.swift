package import AppStoreProtocol
package import AppStoreSimulator
package import PaymentEngine

// What a shop needs to deal with a simulated App Store as with Apple's.

extension SimulatedAppStore {
  /// Access to its App Store Server API by the ready-made key.
  ///
  /// - Parameters:
  ///   - bundleId: whose purchases are asked about.
  ///   - host: where it is reached, production and sandbox by their paths; nil where the way does not go by addresses.
  package nonisolated func access(of bundleId: String, at host: AppStoreServerHost? = nil) throws -> AppStoreSettings {
    let key = testAPIKey
    var settings = AppStoreSettings(
      credentials: try AppStoreServerCredentials(
        issuerId: key.key.issuerId.text, keyId: key.key.keyId, bundleId: bundleId, privateKey: key.testPrivateKey))
    if let host {
      settings.hosts = AppStoreServerHosts(production: host.part(.production), sandbox: host.part(.sandbox))
    }
    return settings
  }

  /// A verifier that trusts what this store signs, and nothing else.
  package nonisolated func verifier() throws -> SignedDataVerifier { try verifier(asApple: false) }

  /// The same.
  ///
  /// - Parameter asApple: whether what is signed counts as production or sandbox, as it says; in a release build
  ///   nothing does.
  nonisolated func verifier(asApple: Bool) throws -> SignedDataVerifier {
    var configuration = SignedDataConfiguration(profile: .development, anchors: [authority.root])
    #if DEBUG
      configuration.takesAnchorsForApple = asApple
    #endif
    return try SignedDataVerifier(configuration)
  }
}
