import AppStoreProtocol
import PaymentEngine
import PaymentModel
import PaymentPrimitives

extension PaymentEngine {
  func statement(
    of evidence: Evidence, presentedBy user: UserIdentifier?, _ app: AppPolicy
  ) -> StoppedStatement? {
    guard let (verified, facts) = read(evidence, app) else { return nil }
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

  /// The statements in evidence that was kept with its presentations; none while this version cannot read it.
  func statements(
    of evidence: Evidence, presentedAs presentations: [String], _ app: AppPolicy
  ) -> [StoppedStatement] {
    guard let (_, facts) = read(evidence, app) else { return [] }
    return StoppedStatement.all(
      of: PaymentUpdate(facts: facts, evidence: evidence.text, origin: evidence.origin), presentedAs: presentations)
  }

  private func read(
    _ evidence: Evidence, _ app: AppPolicy
  ) -> (verified: VerifiedSignedData<JWSTransactionDecodedPayload>, facts: VerifiedPayment)? {
    guard let appStore, let identity = appStore.identity(of: app.id), evidence.origin != .operator else { return nil }
    let verdict = appStore.verifier.verifyTransaction(
      evidence.text,
      expecting: SignedDataExpectations(apps: [identity], environments: app.acceptedEnvironments),
      at: dependencies.now())
    guard let verified = verdict.verified,
      let facts = try? AppStoreEvidence.payment(of: verified, app: app.id)
    else { return nil }
    return (verified, facts)
  }

  /// Keeps a genuine transaction whose product type this version does not know, in the operator's queue.
  ///
  /// - Returns: its id; nil for a transaction of a known type, or without an id.
  func keepIfTypeIsUnknown(
    _ verified: VerifiedSignedData<JWSTransactionDecodedPayload>, _ evidence: String, from origin: Evidence.Origin,
    claim: OwnershipClaim? = nil, for app: AppPolicy
  ) async throws -> TransactionIdentifier? {
    guard let (key, word) = AppStoreEvidence.unknownType(of: verified, app: app.id) else { return nil }
    var statement = UnreadStatement(
      payment: key, found: "The product type \(word) is not known to this version.", evidence: evidence,
      origin: origin)
    statement.claim = claim
    try await keep(unread: statement)
    return key.transaction
  }
}
