import AppStoreProtocol
import PaymentEngine
import PaymentModel
import PaymentPrimitives

extension PaymentEngine {
  func statement(
    of evidence: Evidence, presentedBy user: UserIdentifier?, _ app: AppPolicy
  ) -> StoppedStatement? {
    guard let appStore, let identity = appStore.identity(of: app.id), evidence.origin != .operator else { return nil }
    let verdict = appStore.verifier.verifyTransaction(
      evidence.text,
      expecting: SignedDataExpectations(apps: [identity], environments: app.acceptedEnvironments),
      at: dependencies.now())
    guard let verified = verdict.verified,
      let facts = try? AppStoreEvidence.payment(of: verified, app: app.id)
    else { return nil }
    var update = PaymentUpdate(facts: facts, evidence: evidence.text, origin: evidence.origin)
    update.isHeldByClient = evidence.origin == .client
    if update.isHeldByClient, let user {
      // The presenter is known, but not the orders that they presented.
      let proof: Presentation.DeviceProof
      switch AppStoreEvidence.deviceVerification(of: verified.payload, deviceVerificationId: nil) {
      case .notDeviceEvidence: proof = .notDeviceEvidence
      case .fits, .missing, .differs: proof = .missing
      }
      update.claim = OwnershipClaim(user: user, proof: proof, orders: [], sameRun: nil)
    }
    return .payment(update)
  }
}
