package import Cryptography
package import PaymentPrimitives

/// Verifies receipts offline: app receipts (CMS) and the transaction receipts of iOS 6.
///
/// One verifier serves all apps and threads; it remembers certificate chains, and that is all that it keeps. It trusts
/// whom a `SignedDataVerifier` of the same configuration trusts. Source of the algorithm: Apple's "Validating receipts
/// on the device" and TN3138, with the stricter rules of others.
package final class ReceiptVerifier: Sendable {
  package let configuration: SignedDataConfiguration
  package let limits: SignedDataLimits

  let intermediates: [X509Certificate]
  let memory: ReceiptChainCache
  let leftOut: LeftOut<ReceiptCheck>

  /// A verifier.
  ///
  /// - Parameter intermediates: authorities beside Apple's that may stand between a root and the signer of a
  ///   transaction receipt, which brings none along. They are no roots: nothing is believed for their sake alone.
  /// - Throws: `unsafeConfiguration` when a production profile would trust anything but Apple's signatures.
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

  /// A verifier that trusts whom another one trusts, which has checked that already.
  package init(trustingLike other: SignedDataVerifier, intermediates: [X509Certificate] = []) {
    configuration = other.configuration
    limits = other.limits
    self.intermediates = intermediates
    memory = ReceiptChainCache(other.limits)
    leftOut = .none
  }

  #if DEBUG
    /// A verifier that does not make one check, to show that the check is needed. Not there in release builds.
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
  ///   - text: Base64 as it arrived; the usual damages of the way are repaired and named.
  ///   - device: the id of the device on which it must have been made: the 16 bytes of `identifierForVendor`, on macOS
  ///     the 6 bytes of the primary network address; nil when that is not asked.
  ///   - now: the present moment; it bounds creation dates and paces the examination of unknown chains. Certificates
  ///     are judged at the receipt's creation, so old receipts stay verifiable.
  ///   - sender: who sent it, in any words: an unknown chain counts against their budget beside the common one.
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
  /// Such a receipt brings its signer's certificate along, but not the one that certifies it. Where that is at hand
  /// the verdict is valid or not; where it is not, the verdict names `receipt_chain_not_shown`, and Apple has to be
  /// asked.
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

// Kept beyond the end of the program like those of `SignedDataVerifier`.
extension ReceiptVerifier {
  /// The digests of the chains found good, the newest last, if some are new since this was asked; otherwise nil.
  package func takeNewGoodChains() -> [[UInt8]]? { memory.withBudget { $0.takeNews() } }

  /// Lets them be told again: they could not be kept.
  package func keepNewGoodChains() { memory.withBudget { $0.keepNews() } }

  /// Recalls the digests of chains that an earlier run found good.
  package func recall(goodChains: [[UInt8]]) { memory.withBudget { $0.recall(goodChains) } }
}
