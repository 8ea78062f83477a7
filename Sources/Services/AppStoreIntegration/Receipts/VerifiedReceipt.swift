import AppStoreProtocol
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// The verified contents of a signed receipt: purchases without token, owner and price.
struct VerifiedReceipt: Sendable {
  let text: String
  /// The purchases that can be read; each is independent of the others.
  let purchases: [ReceiptPurchase]
  let unreadable: Int

  /// The digest that evidence uses to name the receipt; the receipt is stored once for all its purchases.
  let digest: String

  init(text: String, purchases: [ReceiptPurchase], unreadable: Int) {
    self.text = text
    self.purchases = purchases
    self.unreadable = unreadable
    digest = APIKeyText.digest(of: text)
  }

  /// Evidence of one purchase: the receipt by its digest.
  func evidence(of purchase: ReceiptPurchase) -> String {
    JSONValue.members([
      ("receipt", .string(digest)), ("transactionId", .string(purchase.transaction.text)),
    ]).text
  }
}

enum ReceiptFinding: Sendable {
  case read(VerifiedReceipt)
  /// It names this transaction, with a valid signature of a signer that cannot be shown to be Apple. It only
  /// justifies a question.
  case unproven(TransactionIdentifier)
  case refused(CodedError<ReceiptErrorCode>, claimed: TransactionIdentifier?)
}

extension PaymentEngine {
  /// Verifies a receipt of either kind.
  func readReceipt(
    _ text: String, _ form: ReceiptForm, for app: AppPolicy, identity: AppIdentity, sender: String? = nil
  ) -> ReceiptFinding {
    guard let receiptVerifier = appStore?.receiptVerifier else { return .refused(CodedError(.otherApp), claimed: nil) }
    let expectations = SignedDataExpectations(apps: [identity], environments: app.acceptedEnvironments)
    let now = dependencies.now()
    if form == .transactionReceipt {
      // No signed field names the environment.
      let undetermined = SignedDataExpectations(
        apps: [identity], environments: app.acceptedEnvironments.union([.undetermined]))
      let verdict = receiptVerifier.verifyTransactionReceipt(text, expecting: undetermined, at: now, from: sender)
      if let verified = verdict.verified {
        let purchase = try? AppStoreEvidence.purchase(of: verified)
        return .read(
          VerifiedReceipt(text: text, purchases: [purchase].compactMap(\.self), unreadable: purchase == nil ? 1 : 0))
      }
      let named = (verdict.unconfirmed ?? verdict.unverified)?.transactionId.flatMap(Self.number)
      if verdict.unconfirmed != nil, let named { return .unproven(named) }
      return .refused(verdict.failure ?? CodedError(.malformed), claimed: named)
    }
    let verdict = receiptVerifier.verifyAppReceipt(text, expecting: expectations, at: now, from: sender)
    guard let verified = verdict.verified else {
      return .refused(verdict.failure ?? CodedError(.malformed), claimed: nil)
    }
    let purchases = AppStoreEvidence.purchases(of: verified)
    for case .failure(let error) in purchases {
      metrics.count(.receiptEntriesUnreadableTotal, [("reason", error.code.rawValue)])
      log(LogEvent(.error, "receipt.entryUnreadable", [("app", app.id.text), ("why", error.details)]))
    }
    let readable = purchases.compactMap { try? $0.get() }
    return .read(VerifiedReceipt(text: text, purchases: readable, unreadable: purchases.count - readable.count))
  }

  /// Untrusted text as a transaction id; only numbers are accepted, because the id appears in answers.
  static func number(_ text: String) -> TransactionIdentifier? {
    guard (1...20).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return TransactionIdentifier(text)
  }
}

extension ReceiptPurchase {
  func key(in app: AppPolicy) -> PaymentKey {
    PaymentKey(app: app.id, store: .appStore, environment: environment, transaction: transaction)
  }

  /// The facts as far as the receipt shows them. Only the kind is filled in: the catalog supplies it for old
  /// receipts. A product that the catalog does not know is held whatever its kind. The facts are dated by the last
  /// event that they show. So any later signature on the transaction itself is newer, even if it is older than the
  /// receipt.
  func facts(in app: AppPolicy) -> VerifiedPayment {
    let sold = app.catalog.product(for: storeProduct)?.kind
    var facts = VerifiedPayment(
      key: key(in: app), originalTransaction: originalTransaction, storeProduct: storeProduct,
      kind: kind ?? sold ?? .consumable, quantity: quantity, purchaseDate: purchaseDate,
      signedDate: cancellationDate ?? purchaseDate)
    facts.webOrderLineItem = webOrderLineItem
    facts.originalPurchaseDate = originalPurchaseDate
    facts.expiresDate = expiresDate
    facts.revocation = cancellationDate.map { Revocation(date: $0) }
    return facts
  }

  /// The facts of a known payment: the only newer fact of a receipt is a refund. The receipt does not say how much
  /// was refunded.
  func facts(beside known: VerifiedPayment, in app: AppPolicy) -> VerifiedPayment {
    guard key(in: app).transaction == known.key.transaction else { return facts(repeating: known, in: app) }
    var facts = known
    if let date = cancellationDate, saysTakenBack(known) {
      facts.revocation = Revocation(date: date)
      facts.signedDate = date > known.signedDate ? date : receiptCreationDate
    }
    return facts
  }

  /// The facts of another id of a known payment: a receipt does not show its token.
  private func facts(repeating known: VerifiedPayment, in app: AppPolicy) -> VerifiedPayment {
    var facts = facts(in: app)
    (facts.kind, facts.ownership, facts.appTransaction) = (known.kind, known.ownership, known.appTransaction)
    if cancellationDate != nil { facts.signedDate = receiptCreationDate }
    return facts
  }

  /// Whether the receipt is the first source of a refund.
  func saysTakenBack(_ known: VerifiedPayment) -> Bool {
    cancellationDate != nil && known.revocation == nil && receiptCreationDate > known.signedDate
  }
}
