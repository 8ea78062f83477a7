import Cryptography
public import PaymentVocabulary

/// Verifies what the App Store signs: transactions, renewal information, notifications, app transactions (JWS with the
/// certificates in `x5c`), offline and without state that could change a verdict.
///
/// One verifier serves all apps and threads; it remembers certificate chains (`ChainMemory`), and that is all that it
/// keeps. Source of the algorithm: Apple's server libraries, merged with the stricter rules of others.
public final class SignedDataVerifier: Sendable {
  /// Whom it trusts.
  public let configuration: SignedDataConfiguration
  /// Its bounds.
  public let limits: SignedDataLimits

  let memory: ChainMemory
  let leftOut: LeftOutCheck

  /// A verifier.
  ///
  /// - Throws: `unsafeConfiguration` when a production profile would trust anything but Apple's signatures.
  public init(
    _ configuration: SignedDataConfiguration, limits: SignedDataLimits = SignedDataLimits()
  ) throws(Refusal<SignedDataErrorCode>) {
    self.configuration = try configuration.checked()
    self.limits = limits
    memory = ChainMemory(limits)
    leftOut = .none
  }

  #if DEBUG
    /// A verifier that does not make one check, to show that the check is needed. Not there in release builds.
    package init(
      _ configuration: SignedDataConfiguration, leavingOut check: SignedDataCheck
    ) throws(Refusal<SignedDataErrorCode>) {
      self.configuration = try configuration.checked()
      limits = SignedDataLimits()
      memory = ChainMemory(limits)
      leftOut = LeftOutCheck(check)
    }
  #endif

  /// Verifies a signed transaction.
  ///
  /// - Parameters:
  ///   - now: the present moment; it bounds signing dates and paces the examination of unknown chains. Certificates
  ///     are judged at the moment of signing, so evidence stays verifiable for years.
  ///   - sender: who sent it, in any words: an unknown chain counts against their budget beside the common one. Nil
  ///     where that is ourselves or a store that was asked.
  public func verifyTransaction(
    _ token: String, expecting expectations: SignedDataExpectations, at now: Timestamp, from sender: String? = nil
  ) -> SignedDataVerdict<JWSTransactionDecodedPayload> {
    verify(token, expecting: expectations, at: now, from: sender)
  }

  /// Verifies signed renewal information.
  public func verifyRenewalInfo(
    _ token: String, expecting expectations: SignedDataExpectations, at now: Timestamp
  ) -> SignedDataVerdict<JWSRenewalInfoDecodedPayload> {
    verify(token, expecting: expectations, at: now)
  }

  /// Verifies a signed app transaction; its effective date is its `receiptCreationDate`.
  public func verifyAppTransaction(
    _ token: String, expecting expectations: SignedDataExpectations, at now: Timestamp
  ) -> SignedDataVerdict<AppTransaction> {
    verify(token, expecting: expectations, at: now)
  }

  /// Verifies Apple's question which message to show.
  public func verifyRealtimeRequest(
    _ token: String, expecting expectations: SignedDataExpectations, at now: Timestamp
  ) -> SignedDataVerdict<DecodedRealtimeRequestBody> {
    verify(token, expecting: expectations, at: now)
  }

  /// Verifies a notification, and everything that is signed inside on its own.
  ///
  /// - Parameter sender: who sent it, as for a transaction.
  public func verifyNotification(
    _ token: String, expecting expectations: SignedDataExpectations, at now: Timestamp, from sender: String? = nil
  ) -> NotificationVerdict {
    withBytes(of: token) { examineNotification($0, expectations, now, sender) }
  }

  /// Verifies signed data of the kind that the caller wants.
  public func verify<Payload: SignedPayload>(
    _ token: String, as kind: Payload.Type = Payload.self,
    expecting expectations: SignedDataExpectations, at now: Timestamp, from sender: String? = nil
  ) -> SignedDataVerdict<Payload> {
    withBytes(of: token) { token in
      var examination = SignedDataExamination<Payload>(self, expectations, at: now, from: sender)
      do throws(FailedCheck) {
        let parts = try examination.readClaims(token)
        let date = examination.effectiveDate ?? now
        try examination.checkChain(validAt: date)
        try examination.checkSignature(token, parts)
        return examination.verdict(nil, bytes: token.count)
      } catch {
        return examination.verdict(error, bytes: token.count)
      }
    }
  }

  private func withBytes<Result>(of token: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    var token = token
    return token.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}

// Digests of the chains that were found good, kept by whoever owns the verifier: after a restart the same chains are
// examined again, but need no budget. Nothing is believed for standing in that list.
extension SignedDataVerifier {
  /// The digests of the chains found good, the newest last, if some are new since this was asked; otherwise nil.
  public func takeNewGoodChains() -> [[UInt8]]? { memory.withBudget { $0.takeNews() } }

  /// Lets them be told again: they could not be kept.
  public func keepNewGoodChains() { memory.withBudget { $0.keepNews() } }

  /// Recalls the digests of chains that an earlier run found good.
  public func recall(goodChains: [[UInt8]]) { memory.withBudget { $0.recall(goodChains) } }
}

extension SignedDataVerifier {
  /// Examines a chain alone, leaf first, each certificate in DER: steps 6 to 10, without memory and budget.
  ///
  /// - Parameter date: the moment at which all certificates must be valid.
  /// - Throws: `invalidChainLength`, `invalidCertificate`, `invalidChain`, `missingOID` or `expired`.
  public func verifyChain(
    _ certificates: [[UInt8]], validAt date: Timestamp
  ) throws(Refusal<SignedDataErrorCode>) -> CertificateChain {
    var examination = CertificateChainExamination(
      anchors: configuration.anchors, leftOut: leftOut)
    do throws(FailedCheck) {
      return try examination.run(certificates, validAt: date).facts
    } catch {
      throw Refusal(error.code, error.particulars)
    }
  }
}
