public import PaymentVocabulary

/// What became of one check of a receipt.
public struct ReceiptCheckResult: Hashable, Sendable {
  /// Which check.
  public let check: ReceiptCheck
  /// How it ended.
  public let outcome: SignedDataCheckResult.Outcome
  /// What was seen, or why it was not made.
  public let detail: String
}

/// An app receipt whose signature and claims hold. Only a verifier makes one.
public struct VerifiedAppReceipt: Sendable {
  /// What it says.
  public let receipt: AppReceipt
  /// The environment: the receipt's word, limited by the root.
  public let environment: StoreEnvironment
  /// The app that it is for, of those that were expected; nil when that was not asked.
  public let app: AppIdentity?
  /// When it was made, at which moment the certificates were judged.
  public let effectiveDate: Timestamp
  /// The certificates behind it; nil for receipts of Xcode, which nobody vouches for.
  public let chain: CertificateChain?
}

/// A transaction receipt of iOS 6 whose signature, certificates and claims hold. Only a verifier makes one.
public struct VerifiedTransactionReceipt: Sendable {
  /// What it says.
  public let receipt: TransactionReceipt
  /// `undetermined` under Apple's roots, since nothing that is signed names it; `simulated` under others.
  public let environment: StoreEnvironment
  /// The app that it is for, of those that were expected; nil when that was not asked.
  public let app: AppIdentity?
  /// The date of the purchase, at which moment the certificates were judged.
  public let effectiveDate: Timestamp
  /// The certificates behind it.
  public let chain: CertificateChain
}

/// The judgement on a receipt, check by check.
public struct ReceiptVerdict<Claims: Sendable, Verified: Sendable>: Sendable {
  /// The receipt, if all checks hold.
  public internal(set) var verified: Verified?
  /// A receipt that is well signed by a certificate whose chain cannot be shown here: neither valid nor forged, to be
  /// confirmed by asking Apple. Only transaction receipts of iOS 6 can be so.
  public internal(set) var unconfirmed: Claims?
  /// Why it is not valid.
  public internal(set) var failure: Refusal<ReceiptErrorCode>?
  /// Which check did not hold; nil also when none was to blame, because we are busy.
  public internal(set) var failedCheck: ReceiptCheck?
  /// What a receipt claims that is not valid, as far as it could be read. Nobody vouches for it.
  public internal(set) var unverified: Claims?

  private let journal: ReceiptJournal

  /// What was put right before anything was read.
  public var repairs: [ReceiptRepair] { journal.repairs }
  /// Each check in its order, with what was seen.
  public var checks: [ReceiptCheckResult] { journal.results(failed: failedCheck, failure?.particulars ?? "") }
  /// Whether all checks hold.
  public var isValid: Bool { verified != nil }

  init(_ journal: ReceiptJournal) { self.journal = journal }

  /// A verdict on what failed.
  init(_ journal: ReceiptJournal, _ failure: FailedReceiptCheck, claims: Claims?) {
    self.journal = journal
    self.failure = Refusal(failure.code, failure.particulars)
    failedCheck = failure.check
    if failure.code == .chainNotShown { unconfirmed = claims } else { unverified = claims }
  }
}

/// The judgement on an app receipt.
public typealias AppReceiptVerdict = ReceiptVerdict<AppReceipt, VerifiedAppReceipt>

/// The judgement on a transaction receipt of iOS 6.
public typealias TransactionReceiptVerdict = ReceiptVerdict<TransactionReceipt, VerifiedTransactionReceipt>
