package import Cryptography
package import PaymentPrimitives
import WeChatPayProtocol

/// The platform's keys, and which of them sign.
package struct PlatformKeySettings: Sendable {
  let service: SimulatedWeChatPay

  /// The platform public key, as the merchant platform shows it: a server has to trust it.
  nonisolated(nonsending) package func publicKey() async -> (identifier: String, key: RSAPublicKey) {
    let key = await service.read { snapshot in
      snapshot.keys.key(.publicKey, in: snapshot.state.keys).privateKey.publicKey
    }
    return (service.platform.publicKeyIdentifier, key)
  }

  /// The platform certificates, in order.
  nonisolated(nonsending) package func certificates() async -> [X509Certificate] {
    await service.read { snapshot in snapshot.keys.certificates(in: snapshot.state.keys) }
  }

  /// The keys, and the choice of signing keys.
  nonisolated(nonsending) package func policy() async -> PlatformKeyPolicy {
    await service.read { $0.state.keys }
  }

  /// Changes the kinds of keys, and the choice of signing keys.
  ///
  /// - Throws: `fieldInvalid` for a key that does not exist.
  nonisolated(nonsending) package func setPolicy(
    mode: PlatformKeyPolicy.Mode? = nil, notifications: PlatformKeyPolicy.Signing? = nil,
    answers: PlatformKeyPolicy.Signing? = nil
  ) async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      var policy = decision.state.keys
      if let mode { policy.mode = mode }
      if let notifications { policy.notifications = notifications }
      if let answers { policy.answers = answers }
      for name in [policy.notifications, policy.answers].flatMap({ [$0.from, $0.to] }) {
        guard name.map({ policy.has($0) }) ?? true else { throw CodedError(.fieldInvalid, "There is no such key.") }
      }
      if policy != decision.state.keys { decision.put(.keys(policy)) }
    }
  }

  /// Issues another platform certificate: it is published at once, beside the others, and signs nothing yet.
  ///
  /// - Returns: its name.
  /// - Throws: `full`.
  nonisolated(nonsending) package func issueCertificate() async throws(CodedError<WeChatPaySimulatorErrorCode>) -> PlatformKeyName {
    try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      var policy = decision.state.keys
      guard policy.certificatesIssued.count < WeChatPaySimulatorLimits.certificatesMax else { throw CodedError(.full) }
      policy.certificatesIssued.append(decision.now)
      decision.put(.keys(policy))
      return .certificate(policy.certificatesIssued.count)
    }
  }
}
