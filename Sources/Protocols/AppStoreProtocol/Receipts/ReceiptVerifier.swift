package import Cryptography
package import PaymentPrimitives

/// Verifies receipts offline: app receipts (CMS) and the transaction receipts of iOS 6.
///
/// One verifier serves all apps and threads; its only state is the cache of certificate chains. It trusts the same
/// roots as a `SignedDataVerifier` with the same configuration. Source of the algorithm: Apple's "Validating receipts
/// on the device" and TN3138, with the stricter rules of others.
package final class ReceiptVerifier: Sendable {
  package let configuration: SignedDataConfiguration
  package let limits: SignedDataLimits

  let intermediates: [X509Certificate]
  let memory: ReceiptChainCache
  let leftOut: LeftOut<ReceiptCheck>

  /// A verifier.
  ///
  /// - Parameter intermediates: authorities besides Apple's that may stand between a root and the signer of a
  ///   transaction receipt. Such a receipt contains no intermediate. They are not roots, so they add no trust.
  /// - Throws: `unsafeConfiguration` if a production profile would trust any signatures other than Apple's.
  package init(
    _ configuration: SignedDataConfiguration, limits: SignedDataLimits = SignedDataLimits(),
    intermediates: [X509Certificate] = []
  ) throws(CodedError<SignedDataErrorCode>) {
    self.configuration = try configuration.checked()
    self.limits = limits
    self.intermediates = intermediates
    memory = ReceiptChainCache(limits)
    leftOut = .none
  }

  /// A verifier that trusts the same roots as an existing one. That one has already checked its configuration.
  package init(trustingLike other: SignedDataVerifier, intermediates: [X509Certificate] = []) {
    configuration = other.configuration
    limits = other.limits
    self.intermediates = intermediates
    memory = ReceiptChainCache(other.limits)
    leftOut = .none
  }

  #if DEBUG
    /// A verifier that leaves out one check, to show that the check is needed. Release builds do not contain it.
    package init(
      _ configuration: SignedDataConfiguration, intermediates: [X509Certificate] = [],
      leavingOut check: ReceiptCheck
    ) throws(CodedError<SignedDataErrorCode>) {
      self.configuration = try configuration.checked()
      limits = SignedDataLimits()
      self.intermediates = intermediates
      memory = ReceiptChainCache(limits)
      leftOut = LeftOut(check)
    }
  #endif

  /// Verifies an app receipt.
  ///
  /// - Parameters:
  ///   - text: Base64 as received; the usual transport damages are repaired and reported.
  ///   - device: the id of the device that must have made the receipt; nil means any device. The id is the 16 bytes of
  ///     `identifierForVendor`, on macOS the 6 bytes of the primary network address.
  ///   - now: the current time. It limits creation dates and the rate of examinations of unknown chains. The
  ///     certificates are judged at the receipt's creation, so old receipts stay verifiable.
  ///   - sender: any text that identifies the sender. An unknown chain counts against the sender's budget and the
  ///     common one.
  package func verifyAppReceipt(
    _ text: String, expecting expectations: SignedDataExpectations, device: [UInt8]? = nil, at now: Timestamp,
    from sender: String? = nil
  ) -> AppReceiptVerdict {
    var examination = AppReceiptVerification(self, expectations, device: device, at: now, from: sender)
    do throws(FailedReceiptCheck) {
      return try examination.run(text)
    } catch {
      return AppReceiptVerdict(examination.journal, error, claims: examination.receipt)
    }
  }

  /// Verifies a transaction receipt of iOS 6.
  ///
  /// Such a receipt contains its signer's certificate, but not the intermediate. If that is available, the verdict is
  /// valid or not. Otherwise the verdict is `receipt_chain_not_shown`, and Apple must be asked.
  package func verifyTransactionReceipt(
    _ text: String, expecting expectations: SignedDataExpectations, at now: Timestamp, from sender: String? = nil
  ) -> TransactionReceiptVerdict {
    var examination = TransactionReceiptVerification(self, expectations, at: now, from: sender)
    do throws(FailedReceiptCheck) {
      return try examination.run(text)
    } catch {
      return TransactionReceiptVerdict(examination.journal, error, claims: examination.receipt)
    }
  }
}

// The good chains survive restarts, like those of `SignedDataVerifier`.
extension ReceiptVerifier {
  /// The digests of the good chains, newest last, if there are new ones since the last call; otherwise nil.
  package func takeNewGoodChains() -> [[UInt8]]? { memory.withBudget { $0.takeNews() } }

  /// Reports the same chains again at the next call, because saving them failed.
  package func keepNewGoodChains() { memory.withBudget { $0.keepNews() } }

  /// Restores the digests of chains that an earlier run found good.
  package func recall(goodChains: [[UInt8]]) { memory.withBudget { $0.recall(goodChains) } }
}
