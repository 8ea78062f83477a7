package import PaymentPrimitives

/// What became of one check of a receipt.
package struct ReceiptCheckResult: Hashable, Sendable {
  package let check: ReceiptCheck
  package let outcome: SignedDataCheckResult.Outcome
  /// What was seen, or why it was not made.
  package let detail: String
}

/// An app receipt whose signature and claims hold. Only a verifier makes one.
package struct VerifiedAppReceipt: Sendable {
  package let receipt: AppReceipt
  /// The environment: the receipt's word, limited by the root.
  package let environment: StoreEnvironment
  /// The app that it is for, of those that were expected; nil when that was not asked.
  package let app: AppIdentity?
  /// When it was made, at which moment the certificates were judged.
  package let effectiveDate: Timestamp
  /// The certificates behind it; nil for receipts of Xcode, which nobody vouches for.
  package let chain: CertificateChain?
}

/// A transaction receipt of iOS 6 whose signature, certificates and claims hold. Only a verifier makes one.
package struct VerifiedTransactionReceipt: Sendable {
  package let receipt: TransactionReceipt
  /// `undetermined` under Apple's roots, since nothing that is signed names it; `simulated` under others.
  package let environment: StoreEnvironment
  /// The app that it is for, of those that were expected; nil when that was not asked.
  package let app: AppIdentity?
  /// The date of the purchase, at which moment the certificates were judged.
  package let effectiveDate: Timestamp
  package let chain: CertificateChain
}

/// The judgement on a receipt, check by check.
package struct ReceiptVerdict<Claims: Sendable, Verified: Sendable>: Sendable {
  /// The receipt, if all checks hold.
  package internal(set) var verified: Verified?
  /// A receipt that is well signed by a certificate whose chain cannot be shown here: neither valid nor forged, to be
  /// confirmed by asking Apple. Only transaction receipts of iOS 6 can be so.
  package internal(set) var unconfirmed: Claims?
  package internal(set) var failure: CodedError<ReceiptErrorCode>?
  /// Which check did not hold; nil also when none was to blame, because we are busy.
  package internal(set) var failedCheck: ReceiptCheck?
  /// What a receipt claims that is not valid, as far as it could be read. Nobody vouches for it.
  package internal(set) var unverified: Claims?

  private let journal: ReceiptJournal

  /// What was put right before anything was read.
  package var repairs: [ReceiptRepair] { journal.repairs }
  /// Each check in its order, with what was seen.
  package var checks: [ReceiptCheckResult] { journal.results(failed: failedCheck, failure?.details ?? "") }
  package var isValid: Bool { verified != nil }

  init(_ journal: ReceiptJournal) { self.journal = journal }

  init(_ journal: ReceiptJournal, _ failure: FailedReceiptCheck, claims: Claims?) {
    self.journal = journal
    self.failure = CodedError(failure.code, failure.details)
    failedCheck = failure.check
    if failure.code == .chainNotShown { unconfirmed = claims } else { unverified = claims }
  }
}

/// The judgement on an app receipt.
package typealias AppReceiptVerdict = ReceiptVerdict<AppReceipt, VerifiedAppReceipt>

/// The judgement on a transaction receipt of iOS 6.
package typealias TransactionReceiptVerdict = ReceiptVerdict<TransactionReceipt, VerifiedTransactionReceipt>
