package import PaymentPrimitives
import SimulatorCore

/// Commands about the certificates that sign.
package struct CertificateRevocations: Sendable {
  let store: SimulatedAppStore

  /// Revokes the leaf or the intermediate that signs now. From then on the responder says so, and another one signs,
  /// unless the revoked one is to go on, as it would in the hands of a thief (rule AS-KEY-7).
  ///
  /// - Throws: `full`.
  nonisolated(nonsending) package func revoke(
    _ role: SimulatedCertificateRevocation.Role, keepsSigning: Bool = false
  ) async throws(CodedError<SimulatorErrorCode>) -> SimulatedCertificateRevocation {
    let authority = store.authority
    let revocation = try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      let known = decision.state.revocations
      guard known.count < SimulatorLimits.revocationsMax else {
        throw CodedError(.full, "It has \(SimulatorLimits.revocationsMax) revoked certificates.")
      }
      let current = authority.certificates(at: decision.now, after: known)
      let name = role == .leaf ? current.leafRole : current.intermediateRole
      let revocation = SimulatedCertificateRevocation(
        role, serialNumber: SimulatedSigningAuthority.serialNumber(authority.seed, name).hexadecimal,
        at: decision.now, realTime: decision.realTime, keepsSigning: keepsSigning)
      decision.event = .certificateRevoked(revocation)
      return revocation
    }
    await store.noteRevocations()
    return revocation
  }
}

extension SimulatedAppStore {
  /// What a tester has revoked, in order.
  package func revocations() -> [SimulatedCertificateRevocation] { commands.state.revocations }

  func noteRevocations() { signer.revocations = commands.state.revocations }

  /// From now on certificates name this address as that of their status (rule AS-KEY-8).
  ///
  /// - Parameter origin: scheme, host and port of the App Store Server API.
  package func publishCertificateStatus(at origin: String) {
    signer.statusAddress = origin + APIAddress.statusPath
  }
}
