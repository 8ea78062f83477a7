import Cryptography
package import PaymentPrimitives

/// Verifies data that the App Store signs: transactions, renewal information, notifications, app transactions. All are
/// JWS with the certificates in `x5c`. It works offline, and no state can change a verdict.
///
/// One verifier serves all apps and threads; its only state is the cache of certificate chains (`VerifiedChainCache`).
/// Source of the algorithm: Apple's server libraries, merged with the stricter rules of others.
package final class SignedDataVerifier: Sendable {
  package let configuration: SignedDataConfiguration
  package let limits: SignedDataLimits

  /// What issuers said of their certificates.
  package let statuses: CertificateStatusBook

  let memory: VerifiedChainCache
  let leftOut: LeftOutCheck

  /// A verifier.
  ///
  /// - Throws: `unsafeConfiguration` if a production profile would trust any signatures other than Apple's.
  package init(
    _ configuration: SignedDataConfiguration, limits: SignedDataLimits = SignedDataLimits()
  ) throws(CodedError<SignedDataErrorCode>) {
    self.configuration = try configuration.checked()
    self.limits = limits
    memory = VerifiedChainCache(limits)
    statuses = CertificateStatusBook(configuration.revocationCheck)
    leftOut = .none
  }

  #if DEBUG
    /// A verifier that leaves out one check, to show that the check is needed. Release builds do not contain it.
    package init(
      _ configuration: SignedDataConfiguration, leavingOut check: SignedDataCheck
    ) throws(CodedError<SignedDataErrorCode>) {
      self.configuration = try configuration.checked()
      limits = SignedDataLimits()
      memory = VerifiedChainCache(limits)
      statuses = CertificateStatusBook(configuration.revocationCheck)
      leftOut = LeftOutCheck(check)
    }
  #endif

  /// Verifies a signed transaction.
  ///
  /// - Parameters:
  ///   - now: the current time. It limits signing dates and the rate of examinations of unknown chains. The
  ///     certificates are judged at the time of signing, so evidence stays verifiable for years.
  ///   - sender: any text that identifies the sender. An unknown chain counts against the sender's budget and the
  ///     common one. nil if we are the sender, or if the data is the App Store's answer to our request.
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

  /// Verifies Apple's request for the message to show.
  package func verifyRealtimeRequest(
    _ token: String, expecting expectations: SignedDataExpectations, at now: Timestamp
  ) -> SignedDataVerdict<DecodedRealtimeRequestBody> {
    verify(token, expecting: expectations, at: now)
  }

  /// Verifies a notification, and every signed part inside separately.
  ///
  /// - Parameter sender: the sender, as for a transaction.
  package func verifyNotification(
    _ token: String, expecting expectations: SignedDataExpectations, at now: Timestamp, from sender: String? = nil
  ) -> NotificationVerdict {
    withBytes(of: token) { examineNotification($0, expectations, now: now, sender: sender) }
  }

  /// Verifies signed data of the kind that the caller expects.
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
        try examination.checkStatus()
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

// Digests of the good chains; the verifier's owner saves them. After a restart, the same chains are examined again but
// need no budget. The list alone gives no trust.
extension SignedDataVerifier {
  /// The digests of the good chains, newest last, if there are new ones since the last call; otherwise nil.
  package func takeNewGoodChains() -> [[UInt8]]? { memory.withBudget { $0.takeNews() } }

  /// Reports the same chains again at the next call, because saving them failed.
  package func keepNewGoodChains() { memory.withBudget { $0.keepNews() } }

  /// Restores the digests of chains that an earlier run found good.
  package func recall(goodChains: [[UInt8]]) { memory.withBudget { $0.recall(goodChains) } }
}

extension SignedDataVerifier {
  /// Examines a chain alone, leaf first, each certificate in DER: steps 6 to 10, without cache and budget.
  ///
  /// - Parameter date: the time at which all certificates must be valid.
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
