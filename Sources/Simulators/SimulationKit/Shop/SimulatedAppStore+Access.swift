package import AppStoreIntegration
package import AppStoreProtocol
package import AppStoreSimulator
import PaymentEngine

// Access to a simulated App Store, in the same way as to Apple's.

extension SimulatedAppStore {
  /// Access to its App Store Server API with the ready-made key.
  ///
  /// - Parameters:
  ///   - bundleId: the app whose purchases are requested.
  ///   - host: its address, with production and sandbox by path; nil if the connection does not use addresses.
  package nonisolated func access(of bundleId: String, at host: AppStoreServerHost? = nil) throws
    -> AppStoreServerAccess
  {
    let key = testAPIKey
    var settings = AppStoreServerAccess(
      credentials: try AppStoreServerCredentials(
        issuerId: key.key.issuerId.text, keyId: key.key.keyId, bundleId: bundleId, privateKey: key.testPrivateKey))
    if let host {
      settings.hosts = AppStoreServerHosts(production: host.part(.production), sandbox: host.part(.sandbox))
    }
    return settings
  }

  /// A verifier that trusts only the data that this store signs.
  ///
  /// - Parameter revocations: whether it is asked if it has revoked a certificate.
  package nonisolated func verifier(revocations: RevocationCheck = .off) throws -> SignedDataVerifier {
    try verifier(asApple: false, revocations: revocations)
  }

  /// A verifier that trusts only the data that this store signs, with a choice of environments.
  ///
  /// - Parameter asApple: whether signed data counts as production or sandbox, as it says; never in a release build.
  nonisolated func verifier(asApple: Bool, revocations: RevocationCheck = .off) throws -> SignedDataVerifier {
    var configuration = SignedDataConfiguration(profile: .development, anchors: [authority.root])
    configuration.revocationCheck = revocations
    #if DEBUG
      configuration.takesAnchorsForApple = asApple
    #endif
    return try SignedDataVerifier(configuration)
  }
}
