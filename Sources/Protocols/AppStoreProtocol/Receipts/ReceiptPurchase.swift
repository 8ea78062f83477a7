import Cryptography
package import PaymentPrimitives

/// One purchase that a verified receipt shows, as far as a receipt can: without a token, an owner or a price.
///
/// It says that the buyer's account bought this; for whom, Apple has to be asked (Get Transaction Info by the id).
package struct ReceiptPurchase: Hashable, Sendable {
  /// The app, as the receipt names it.
  package let bundleId: String
  /// The environment: the receipt's word, limited by the root.
  package let environment: StoreEnvironment
  package let transaction: TransactionIdentifier
  /// The first purchase of the line; its own id where there is none before.
  package let originalTransaction: TransactionIdentifier
  package let storeProduct: StoreProductIdentifier
  /// What kind of product; nil when the receipt does not say, and the catalog has to.
  package let kind: ProductKind?
  package let quantity: Int
  /// When it was bought, or renewed.
  package let purchaseDate: Timestamp
  /// When the first of the line was bought.
  package let originalPurchaseDate: Timestamp?
  package let expiresDate: Timestamp?
  /// When Apple took it back; nil when it stands.
  package let cancellationDate: Timestamp?
  /// Apple's name of one period of a subscription.
  package let webOrderLineItem: String?
  /// When Apple signed this: the receipt's creation. A receipt of iOS 6 has no such date and shows its purchase date.
  package let receiptCreationDate: Timestamp
}

extension AppStoreEvidence {
  /// One purchase of a verified app receipt.
  ///
  /// - Parameter entry: one of the receipt's `inApp`.
  /// - Throws: `AppStoreEvidenceErrorCode` naming the field that is missing or cannot be true; other purchases of the
  ///   receipt stand on their own.
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

  /// Every purchase of a verified app receipt, in the receipt's order, each read or refused on its own.
  package static func purchases(
    of receipt: VerifiedAppReceipt
  ) -> [Result<ReceiptPurchase, CodedError<AppStoreEvidenceErrorCode>>] {
    receipt.receipt.inApp.map { entry in
      Result { () throws(CodedError<AppStoreEvidenceErrorCode>) in try purchase(entry, in: receipt) }
    }
  }

  /// Apple's id of a purchase; Xcode writes 0 for every purchase, which names none.
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
