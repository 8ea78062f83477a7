import Cryptography
package import PaymentPrimitives

/// Verifies what the App Store signs: transactions, renewal information, notifications, app transactions (JWS with the
/// certificates in `x5c`), offline and without state that could change a verdict.
///
/// One verifier serves all apps and threads; it remembers certificate chains (`VerifiedChainCache`), and that is all
/// that it keeps. Source of the algorithm: Apple's server libraries, merged with the stricter rules of others.
package final class SignedDataVerifier: Sendable {
  package let configuration: SignedDataConfiguration
  package let limits: SignedDataLimits

  let memory: VerifiedChainCache
  let leftOut: LeftOutCheck

  /// A verifier.
  ///
  /// - Throws: `unsafeConfiguration` when a production profile would trust anything but Apple's signatures.
  package init(
    _ configuration: SignedDataConfiguration, limits: SignedDataLimits = SignedDataLimits()
  ) throws(CodedError<SignedDataErrorCode>) {
    self.configuration = try configuration.checked()
    self.limits = limits
    memory = VerifiedChainCache(limits)
    leftOut = .none
  }

  #if DEBUG
    /// A verifier that does not make one check, to show that the check is needed. Not there in release builds.
    package init(
      _ configuration: SignedDataConfiguration, leavingOut check: SignedDataCheck
    ) throws(CodedError<SignedDataErrorCode>) {
      self.configuration = try configuration.checked()
      limits = SignedDataLimits()
      memory = VerifiedChainCache(limits)
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
  package func verifyTransaction(
    _ token: String, expecting expectations: SignedDataExpectations, at now: Timestamp, from sender: String? = nil
  ) -> SignedDataVerdict<JWSTransactionDecodedPayload> {
    verify(token, expecting: expectations, at: now, from: sender)
  }

  package func verifyRenewalInfo(
    _ token: String, expecting expectations: SignedDataExpectations, at now: Timestamp
  ) -> SignedDataVerdict<JWSRenewalInfoDecodedPayload> {
    verify(token, expecting: expectations, at: now)
  }

  /// Verifies a signed app transaction; its effective date is its `receiptCreationDate`.
  package func verifyAppTransaction(
    _ token: String, expecting expectations: SignedDataExpectations, at now: Timestamp
  ) -> SignedDataVerdict<AppTransaction> {
    verify(token, expecting: expectations, at: now)
  }

  /// Verifies Apple's question which message to show.
  package func verifyRealtimeRequest(
    _ token: String, expecting expectations: SignedDataExpectations, at now: Timestamp
  ) -> SignedDataVerdict<DecodedRealtimeRequestBody> {
    verify(token, expecting: expectations, at: now)
  }

  /// Verifies a notification, and everything that is signed inside on its own.
  ///
  /// - Parameter sender: who sent it, as for a transaction.
  package func verifyNotification(
    _ token: String, expecting expectations: SignedDataExpectations, at now: Timestamp, from sender: String? = nil
  ) -> NotificationVerdict {
    withBytes(of: token) { examineNotification($0, expectations, now, sender) }
  }

  /// Verifies signed data of the kind that the caller wants.
  package func verify<Payload: SignedPayload>(
    _ token: String, as kind: Payload.Type = Payload.self,
    expecting expectations: SignedDataExpectations, at now: Timestamp, from sender: String? = nil
  ) -> SignedDataVerdict<Payload> {
    withBytes(of: token) { token in
      var examination = SignedDataVerification<Payload>(self, expectations, at: now, from: sender)
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
  package func takeNewGoodChains() -> [[UInt8]]? { memory.withBudget { $0.takeNews() } }

  /// Lets them be told again: they could not be kept.
  package func keepNewGoodChains() { memory.withBudget { $0.keepNews() } }

  /// Recalls the digests of chains that an earlier run found good.
  package func recall(goodChains: [[UInt8]]) { memory.withBudget { $0.recall(goodChains) } }
}

extension SignedDataVerifier {
  /// Examines a chain alone, leaf first, each certificate in DER: steps 6 to 10, without memory and budget.
  ///
  /// - Parameter date: the moment at which all certificates must be valid.
  /// - Throws: `invalidChainLength`, `invalidCertificate`, `invalidChain`, `missingOID` or `expired`.
  package func verifyChain(
    _ certificates: [[UInt8]], validAt date: Timestamp
  ) throws(CodedError<SignedDataErrorCode>) -> CertificateChain {
    var examination = CertificateChainVerification(
      anchors: configuration.anchors, leftOut: leftOut)
    do throws(FailedCheck) {
      return try examination.run(certificates, validAt: date).facts
    } catch {
      throw CodedError(error.code, error.details)
    }
  }
}
