import AppStoreProtocol
import PaymentModel
import PaymentDatabase
import PaymentPrimitives

// Earlier versions froze a payment and stored its evidence, but not the change. A migration marks these payments.
extension PaymentEngine {
  /// The statements in the stored evidence of a marked payment, verified again.
  ///
  /// If Apple's signature is missing, as in a receipt, Apple is asked. The answer is processed as usual.
  /// - Returns: nil if nothing of it can be read, and Apple cannot be asked.
  func keptStatements(of stopped: StoppedChange, _ app: AppSettings) async throws -> [StoppedStatement]? {
    let key = stopped.payment
    let (kept, evidence) = try await read { (try $0.payment(key), try $0.evidence(of: key)) }
    switch key.store {
    case .weChatPay:
      guard let kept else { return nil }
      var update = PaymentUpdate(facts: kept.facts, evidence: stopped.evidence, origin: stopped.origin)
      update.charge = VerifiedCharge(kept.facts)
      return [.payment(update)]
    case .appStore:
      let read = evidence.compactMap { statement(of: $0, presentedBy: kept?.presenter, app) }
      let isAsked = try await askAgain(about: key, app)
      return read.isEmpty && !isAsked ? nil : read
    }
  }

  private func statement(
    of evidence: Evidence, presentedBy user: UserIdentifier?, _ app: AppSettings
  ) -> StoppedStatement? {
    guard let identity = app.identity, evidence.origin != .operator else { return nil }
    let verdict = verifier.verifyTransaction(
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

  /// Adds a question to Apple about the present state of the transaction; false if Apple cannot be asked.
  func askAgain(about key: PaymentKey, _ app: AppSettings) async throws -> Bool {
    guard app.appStore != nil else { return false }
    try await transact { transaction in
      guard try transaction.appStoreTask(.ask, about: key) == nil else { return }
      try transaction.put(
        AppStoreTask(payment: key, purpose: .ask, createdAt: transaction.now, dueAt: transaction.now))
    }
    return true
  }
}
