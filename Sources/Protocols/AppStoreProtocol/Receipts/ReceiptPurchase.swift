import Cryptography
package import PaymentPrimitives

/// One purchase of a verified receipt. Receipts contain no token, owner or price.
///
/// It proves that the buyer's account bought this. For which user, only Apple can tell (Get Transaction Info by the
/// id).
package struct ReceiptPurchase: Hashable, Sendable {
  /// The app, as the receipt names it.
  package let bundleId: String
  /// The environment that the receipt claims, limited by the root.
  package let environment: StoreEnvironment
  package let transaction: TransactionIdentifier
  /// The first transaction of the subscription; the transaction's own id if there is no earlier one.
  package let originalTransaction: TransactionIdentifier
  package let storeProduct: StoreProductIdentifier
  /// The product kind; nil if the receipt does not state it, and the catalog must.
  package let kind: ProductKind?
  package let quantity: Int
  /// The time of the purchase or the renewal.
  package let purchaseDate: Timestamp
  /// The purchase time of the first transaction.
  package let originalPurchaseDate: Timestamp?
  package let expiresDate: Timestamp?
  /// The time at which Apple revoked the purchase; nil if it is still valid.
  package let cancellationDate: Timestamp?
  /// Apple's id of one subscription period.
  package let webOrderLineItem: String?
  /// The creation date of the receipt, when Apple signed it. A receipt of iOS 6 has none; its purchase date stands
  /// here.
  package let receiptCreationDate: Timestamp
}

extension AppStoreEvidence {
  /// One purchase of a verified app receipt.
  ///
  /// - Parameter entry: one of the receipt's `inApp`.
  /// - Throws: `AppStoreEvidenceErrorCode`; it names the field that is missing or impossible. Other purchases of the
  ///   receipt are not affected.
  package static func purchase(
    _ entry: InAppReceipt, in receipt: VerifiedAppReceipt
  ) throws(CodedError<AppStoreEvidenceErrorCode>) -> ReceiptPurchase {
    let purchaseDate = try stated(entry.purchaseDate, "purchase_date")
    guard purchaseDate.milliseconds > 0 else { throw absurd("purchase_date", purchaseDate.iso8601) }
    return ReceiptPurchase(
      bundleId: try stated(receipt.receipt.bundleId, "bundle_id"), environment: receipt.environment,
      transaction: try receiptTransaction(entry.transactionId, "transaction_id"),
      originalTransaction: try receiptTransaction(entry.originalTransactionId, "original_transaction_id"),
      storeProduct: try product(entry.productId), kind: entry.kind, quantity: try quantity(entry.quantity),
      purchaseDate: purchaseDate, originalPurchaseDate: entry.originalPurchaseDate, expiresDate: entry.expiresDate,
      cancellationDate: entry.cancellationDate,
      webOrderLineItem: entry.webOrderLineItemId.flatMap { $0 > 0 ? String($0) : nil },
      receiptCreationDate: receipt.effectiveDate)
  }

  /// Every purchase of a verified app receipt, in the receipt's order. Each one is a purchase or an error.
  package static func purchases(
    of receipt: VerifiedAppReceipt
  ) -> [Result<ReceiptPurchase, CodedError<AppStoreEvidenceErrorCode>>] {
    receipt.receipt.inApp.map { entry in
      Result { () throws(CodedError<AppStoreEvidenceErrorCode>) in try purchase(entry, in: receipt) }
    }
  }

  /// Apple's id of a purchase. Xcode writes 0 for every purchase, which is not an id.
  static func receiptTransaction(
    _ text: String?, _ field: String
  ) throws(CodedError<AppStoreEvidenceErrorCode>) -> TransactionIdentifier {
    let identifier = try transactionIdentifier(text, field)
    guard text?.utf8.contains(where: { $0 != 0x30 }) == true else { throw absurd(field, "0") }
    return identifier
  }

  static func product(_ text: String?) throws(CodedError<AppStoreEvidenceErrorCode>) -> StoreProductIdentifier {
    let product = try stated(text, "product_id")
    guard (1...255).contains(product.utf8.count) else { throw absurd("product_id", "its length") }
    return StoreProductIdentifier(product)
  }

  static func quantity(_ number: Int64?) throws(CodedError<AppStoreEvidenceErrorCode>) -> Int {
    let quantity = try stated(number, "quantity")
    guard (1...Int64(Int32.max)).contains(quantity) else { throw absurd("quantity", "\(quantity)") }
    return Int(quantity)
  }
}
