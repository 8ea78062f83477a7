package import PaymentPrimitives

/// The content of a transaction receipt of iOS 6: one purchase. Every field can be missing.
///
/// The enclosing property list also has an `environment`. It is not signed, so it is not read.
package struct TransactionReceipt: Hashable, Sendable {
  /// `bid`.
  package var bundleId: String? { fields["bid"] }
  /// `item-id` or `app-item-id`: Apple's number of the product or the app.
  package var itemId: String? { fields["item-id"] }
  /// `product-id`.
  package var productId: String? { fields["product-id"] }
  /// `transaction-id`.
  package var transactionId: String? { fields["transaction-id"] }
  /// `original-transaction-id`.
  package var originalTransactionId: String? { fields["original-transaction-id"] }
  /// `quantity`.
  package var quantity: Int64? { fields["quantity"].flatMap { Int64($0) } }
  /// `web-order-line-item-id` of a subscription.
  package var webOrderLineItemId: String? { fields["web-order-line-item-id"] }
  /// `purchase-date-ms`, or `purchase-date` with whole seconds.
  package var purchaseDate: Timestamp? { date("purchase-date") }
  /// `original-purchase-date-ms`, or `original-purchase-date` with whole seconds.
  package var originalPurchaseDate: Timestamp? { date("original-purchase-date") }
  /// `expires-date` of a subscription, in milliseconds.
  package var expiresDate: Timestamp? {
    fields["expires-date"].flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) } ?? date("expires-date-formatted")
  }
  /// `cancellation-date`: the time at which Apple revoked the purchase.
  package var cancellationDate: Timestamp? { date("cancellation-date") }

  /// All signed fields, by Apple's names.
  package let fields: [String: String]
  /// The exact signed bytes, without the version byte before them.
  package let purchaseInfo: [UInt8]

  init(fields: [String: String], purchaseInfo: [UInt8]) {
    self.fields = fields
    self.purchaseInfo = purchaseInfo
  }

  /// A date in one of Apple's two forms: in milliseconds, or as `2012-04-30 15:05:55 Etc/GMT`.
  private func date(_ name: String) -> Timestamp? {
    if let milliseconds = fields[name + "-ms"] { return Int64(milliseconds).map { Timestamp(milliseconds: $0) } }
    guard let text = fields[name], text.hasSuffix(" Etc/GMT") else { return nil }
    return Timestamp(iso8601: text.dropLast(8) + "Z")
  }
}

extension AppStoreEvidence {
  /// The purchase of a verified transaction receipt.
  ///
  /// - Throws: `AppStoreEvidenceErrorCode`; it names the field that is missing or impossible.
  package static func purchase(
    of verified: VerifiedTransactionReceipt
  ) throws(CodedError<AppStoreEvidenceErrorCode>) -> ReceiptPurchase {
    let receipt = verified.receipt
    let purchaseDate = try stated(receipt.purchaseDate, "purchase-date")
    guard purchaseDate.milliseconds > 0 else { throw absurd("purchase-date", purchaseDate.iso8601) }
    return ReceiptPurchase(
      bundleId: try stated(receipt.bundleId, "bid"), environment: verified.environment,
      transaction: try receiptTransaction(receipt.transactionId, "transaction-id"),
      originalTransaction: try receiptTransaction(receipt.originalTransactionId, "original-transaction-id"),
      storeProduct: try product(receipt.productId), kind: nil, quantity: try quantity(receipt.quantity),
      purchaseDate: purchaseDate, originalPurchaseDate: receipt.originalPurchaseDate, expiresDate: receipt.expiresDate,
      cancellationDate: receipt.cancellationDate, webOrderLineItem: receipt.webOrderLineItemId,
      receiptCreationDate: verified.effectiveDate)
  }
}
