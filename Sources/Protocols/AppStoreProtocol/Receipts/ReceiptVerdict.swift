package import PaymentPrimitives

/// The result of one check of a receipt.
package struct ReceiptCheckResult: Hashable, Sendable {
  package let check: ReceiptCheck
  package let outcome: SignedDataCheckResult.Outcome
  /// What the check saw, or why it was not made.
  package let detail: String
}

/// An app receipt with a valid signature and valid claims. Only a verifier creates it.
package struct VerifiedAppReceipt: Sendable {
  package let receipt: AppReceipt
  /// The environment that the receipt claims, limited by the root.
  package let environment: StoreEnvironment
  /// The app of the receipt, one of the expected apps; nil if no app was expected.
  package let app: AppIdentity?
  /// The creation date of the receipt, at which the certificates were judged.
  package let effectiveDate: Timestamp
  /// The certificates of the receipt; nil for receipts of Xcode, which no authority certifies.
  package let chain: CertificateChain?
}

/// A transaction receipt of iOS 6 with a valid signature, valid certificates and valid claims. Only a verifier creates
/// it.
package struct VerifiedTransactionReceipt: Sendable {
  package let receipt: TransactionReceipt
  /// `undetermined` under Apple's roots, because no signed field names it; `simulated` under others.
  package let environment: StoreEnvironment
  /// The app of the receipt, one of the expected apps; nil if no app was expected.
  package let app: AppIdentity?
  /// The date of the purchase, at which the certificates were judged.
  package let effectiveDate: Timestamp
  package let chain: CertificateChain
}

/// The result of verifying a receipt, check by check.
package struct ReceiptVerdict<Claims: Sendable, Verified: Sendable>: Sendable {
  /// The receipt, if all checks passed.
  package internal(set) var verified: Verified?
  /// A receipt with a valid signature, but without an available certificate chain. It is neither valid nor forged;
  /// Apple must confirm it. Only transaction receipts of iOS 6 can have this result.
  package internal(set) var unconfirmed: Claims?
  package internal(set) var failure: CodedError<ReceiptErrorCode>?
  /// The failed check; nil if all passed, and also if the verifier is busy.
  package internal(set) var failedCheck: ReceiptCheck?
  /// The claims of an invalid receipt, as far as they are readable. They are unverified.
  package internal(set) var unverified: Claims?

  private let journal: ReceiptJournal

  /// The repairs that were made before reading.
  package var repairs: [ReceiptRepair] { journal.repairs }
  /// The checks in their order, each with what it saw.
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

/// The verdict on an app receipt.
package typealias AppReceiptVerdict = ReceiptVerdict<AppReceipt, VerifiedAppReceipt>

/// The verdict on a transaction receipt of iOS 6.
package typealias TransactionReceiptVerdict = ReceiptVerdict<TransactionReceipt, VerifiedTransactionReceipt>
