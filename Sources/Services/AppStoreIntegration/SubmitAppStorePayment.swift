import AppStoreProtocol
package import CounterfoilAPI
import PaymentDatabase
package import PaymentEngine
import PaymentModel
package import PaymentPrimitives
import StrictJSON

extension PaymentEngine {
  /// Processes a client's data about an App Store purchase: verifies, stores, matches, grants, and answers what is
  /// known.
  ///
  /// A forged or foreign transaction gets an answer too (`refused`): the request itself was understood.
  ///
  /// - Parameter sender: the sender, as any text; false signatures count against its budget of unknown certificates.
  /// - Throws: `CodedError<EngineErrorCode>` only if the request could not be read or stored; then nothing may be
  ///   finished.
  package func submitAppStorePayment(
    _ request: SubmitAppStorePayment.Request, from user: UserIdentifier?, for app: AppPolicy,
    sentBy sender: String? = nil
  ) async throws -> SubmitAppStorePayment.Response {
    guard let appStore, let identity = appStore.identity(of: app.id) else {
      throw CodedError<EngineErrorCode>(.storeNotConfigured)
    }
    guard let evidence = request.evidence else {
      return try await answerQuestion(about: request, from: user, for: app)
    }
    switch ReceiptForm(evidence) {
    case .appReceipt?:
      return try await submitReceipt(
        evidence, .appReceipt, request: request, from: user, for: app, identity: identity, sender: sender)
    case .transactionReceipt?:
      return try await submitReceipt(
        evidence, .transactionReceipt, request: request, from: user, for: app, identity: identity, sender: sender)
    case .signedData?, nil: break
    }
    let verdict = await verify(
      evidence, by: appStore.verifier,
      expecting: SignedDataExpectations(apps: [identity], environments: app.acceptedEnvironments), from: sender)
    if verdict.failure?.code == .certificateRevoked {
      try await askInstead(of: verdict.unverifiedPayload, for: [app])
    }
    guard let verified = verdict.verified ?? verdict.waiting else {
      return try answerUnverified(verdict.failure, verdict.unverifiedPayload, request: request)
    }
    let claim = user.map { user in
      OwnershipClaim(
        of: request, by: user, proof: Self.proof(of: verified.payload, request.deviceVerificationId))
    }
    let facts: VerifiedPayment
    do { facts = try AppStoreEvidence.payment(of: verified, app: app.id) } catch {
      return try await answer(unread: verdict, evidence, by: claim, because: error, for: app)
    }
    var update = PaymentUpdate(facts: facts, evidence: evidence, origin: .client)
    update.isHeldByClient = true
    update.clientDetails = Self.clientDetails(request, facts)
    update.claim = claim
    if verdict.waiting != nil {
      // Genuine, but for a certificate that may be revoked: stored as a question, and decided later.
      guard let result = try await confirm(update, for: app) else {
        return SubmitAppStorePayment.Response(payments: [keptForStatus(facts.key.transaction, for: app)])
      }
      return SubmitAppStorePayment.Response(payments: [PaymentAnswer(result, asked: facts.key, by: user, app)])
    }
    if try await mustBeConfirmed(facts, for: app) {
      guard let result = try await confirm(update, for: app) else {
        return SubmitAppStorePayment.Response(payments: [keptPending(facts.key.transaction, for: app)])
      }
      return SubmitAppStorePayment.Response(payments: [PaymentAnswer(result, asked: facts.key, by: user, app)])
    }
    let result = try await fulfil(update, for: app)
    return SubmitAppStorePayment.Response(payments: [
      PaymentAnswer(result, asked: facts.key, by: user, app)
    ])
  }

  /// Answers for a genuine transaction that does not say what a payment needs. It is kept if only a later version can
  /// read it.
  private func answer(
    unread verdict: SignedDataVerdict<JWSTransactionDecodedPayload>, _ evidence: String, by claim: OwnershipClaim?,
    because error: CodedError<AppStoreEvidenceErrorCode>, for app: AppPolicy
  ) async throws -> SubmitAppStorePayment.Response {
    if let verified = verdict.verified,
      let unread = try await keepIfTypeIsUnknown(verified, evidence, from: .client, claim: claim, for: app)
    {
      return SubmitAppStorePayment.Response(payments: [keptUnread(unread, because: error.code, for: app)])
    }
    throw CodedError<EngineErrorCode>(.evidenceUnreadable, "\(error.code.meaning.english) \(error.details)")
  }

  private func verify(
    _ evidence: String, by verifier: SignedDataVerifier, expecting expectations: SignedDataExpectations,
    from sender: String?
  ) async -> SignedDataVerdict<JWSTransactionDecodedPayload> {
    let step = traces.begin("VerifyEvidence")
    let verdict = await withCertificateStatus {
      verifier.verifyTransaction(evidence, expecting: expectations, at: dependencies.now(), from: sender)
    } isUnknown: {
      $0.statusIsUnknown
    }
    if var step {
      step.note("counterfoil.kind", "transaction")
      step.note("counterfoil.valid", verdict.verified != nil)
      traces.end(step)
    }
    await keepGoodChains()
    return verdict
  }

  /// Answers a bare transaction id, which is only a question: from the database, then from Apple. The grant follows
  /// the data in Apple's transaction, never the caller.
  ///
  /// Store ids can be enumerated. So a user learns only about payments that are theirs or that they have presented.
  /// Another user's payment gets the same answer as an unknown one, and a caller without a user learns nothing.
  func answerQuestion(
    about request: SubmitAppStorePayment.Request, from user: UserIdentifier?, for app: AppPolicy
  ) async throws -> SubmitAppStorePayment.Response {
    guard let transaction = request.transaction else { throw CodedError<EngineErrorCode>(.evidenceMissing) }
    guard let user else { throw CodedError<EngineErrorCode>(.transactionUnknown) }
    let keys = app.userEnvironments.map {
      PaymentKey(app: app.id, store: .appStore, environment: $0.environment, transaction: transaction)
    }
    let found = try await readBriefly { reader -> (FulfilmentResult, PaymentKey)? in
      let user = try reader.present(user, in: app.homeEnvironment)
      for key in keys {
        let original = try reader.duplicate(key)?.of ?? key
        guard let payment = try reader.payment(original), payment.owner == user || payment.presenter == user else {
          continue
        }
        return (try FulfilmentResult(known: payment, to: user, reader), key)
      }
      return nil
    }
    if let (result, key) = found {
      return SubmitAppStorePayment.Response(payments: [PaymentAnswer(result, asked: key, by: user, app)])
    }
    guard let answer = try await askApple(aboutBare: transaction, by: user, for: app) else {
      throw CodedError<EngineErrorCode>(.transactionUnknown)
    }
    return SubmitAppStorePayment.Response(payments: [answer])
  }

  /// Handles a transaction that is not genuine, or not for this app. Only a counter and a log event are recorded.
  private func answerUnverified(
    _ failure: CodedError<SignedDataErrorCode>?, _ claimed: JWSTransactionDecodedPayload?,
    request: SubmitAppStorePayment.Request
  ) throws -> SubmitAppStorePayment.Response {
    let code = failure?.code ?? .invalidFormat
    metrics.count(.verifyFailuresTotal, [("reason", code.rawValue)])
    log(
      LogEvent(
        .warning, "evidence.refused",
        [("reason", code.rawValue), ("particulars", failure?.details ?? "")]))
    switch code {
    case .verificationBusy, .certificateStatusUnknown:
      throw CodedError<EngineErrorCode>(.verificationBusy, failure?.details ?? "")
    case .signedDataTooLarge, .invalidFormat, .unexpectedKind, .malformedPayload:
      throw CodedError<EngineErrorCode>(.evidenceUnreadable, failure?.details ?? "")
    case .invalidAlgorithm, .invalidHeader, .invalidAppIdentifier, .signedInTheFuture,
      .invalidChainLength, .invalidCertificate, .invalidChain, .missingOID, .expired,
      .certificateRevoked, .invalidEnvironment, .invalidSignature, .invalidNestedData, .unsafeConfiguration:
      // A forger can write anything there: only a number is repeated.
      let named = [claimed?.transactionId, request.transaction?.text].compactMap(\.self).first {
        !$0.isEmpty && $0.utf8.count <= 20 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) }
      }
      return SubmitAppStorePayment.Response(payments: [
        PaymentAnswer(
          transaction: TransactionIdentifier(named ?? "unknown"), verdict: .refused,
          reason: code.rawValue)
      ])
    }
  }

  private static func proof(
    of payload: JWSTransactionDecodedPayload, _ device: String?
  ) -> Presentation.DeviceProof {
    switch AppStoreEvidence.deviceVerification(of: payload, deviceVerificationId: device) {
    case .fits: .fits
    case .missing: .missing
    case .differs: .differs
    case .notDeviceEvidence: .notDeviceEvidence
    }
  }

  /// What the client sent beside the evidence, if it differs from the signed data or adds to it.
  private static func clientDetails(
    _ request: SubmitAppStorePayment.Request, _ facts: VerifiedPayment
  ) -> String? {
    let claimed = request.claimed
    var differs: [JSONValue] = []
    if let product = claimed.product, product != facts.storeProduct.text { differs.append("productId") }
    if let quantity = claimed.quantity, quantity != Int64(facts.quantity) { differs.append("quantity") }
    if let named = request.transaction, named != facts.key.transaction { differs.append("transactionId") }
    let said = JSONValue.members([
      ("differs", differs.isEmpty ? nil : .array(differs)),
      ("productId", claimed.product.map(JSONValue.string)),
      ("quantity", claimed.quantity.map { .integer($0) }),
      ("amount", claimed.amount.map(JSONValue.string)),
      ("currency", claimed.currency.map(JSONValue.string)), ("parameters", claimed.parameters),
    ])
    return said == .object([]) ? nil : said.text
  }
}

extension PaymentAnswer {
  /// What a caller may learn about a payment: everything if it is theirs, otherwise only that it is settled.
  init(
    _ result: FulfilmentResult, asked: PaymentKey, by user: UserIdentifier?, _ app: AppPolicy
  ) {
    let payment = result.payment
    let user = result.claimant ?? user
    let isOwner = user != nil && payment.owner == user
    let isBeneficiary = user != nil && (result.beneficiary ?? payment.owner) == user
    var (verdict, reason) = Self.verdict(on: result, isBeneficiary: isBeneficiary || result.isShared)
    // Another id of a granted purchase: the store gave it again, and charged nothing.
    if verdict == .fulfilled, result.duplicate != nil, result.repeatsForAnotherOrder {
      reason = PaymentAnswer.alreadyOwned
    }
    self.init(transaction: asked.transaction, verdict: verdict, reason: reason)
    // A result comes from rows: whatever its verdict, the payment is stored.
    if app.finishesWhatIsKept { finish = true }
    // The earlier system still delivers, perhaps because its own client finds the transaction unfinished.
    if app.isObserving { finish = false }
    originalTransaction = payment.facts.originalTransaction
    product = payment.facts.storeProduct
    environment = payment.key.environment
    firstSeen = result.firstSeen
    guard isOwner else { return }
    order = payment.order
    let number = result.order.flatMap { $0.reference ?? $0.derivation?.reference }
    reference = number?.text
    referenceFrom = number?.origin == .app ? "app" : nil
    metadata = result.order?.metadata.flatMap { try? JSONReader.read($0.utf8) }
  }

  private static func verdict(on result: FulfilmentResult, isBeneficiary: Bool) -> (Verdict, String?) {
    switch result.payment.state {
    case .fulfilled, .reinstated, .reversed:
      // A partial reversal stays fulfilled; `revoked` means that nothing is left.
      guard !result.nothingIsLeft else { return (.revoked, nil) }
      return (isBeneficiary ? .fulfilled : .fulfilledForAnother, nil)
    case .revoked: return (.revoked, nil)
    case .imported: return (.imported, nil)
    case .held(let reason): return (.held, reason.rawValue)
    case .setAside: return (.held, result.payment.state.name)
    case .unclaimed: return (.unclaimed, nil)
    case .verified: return (.pending, nil)
    }
  }
}
