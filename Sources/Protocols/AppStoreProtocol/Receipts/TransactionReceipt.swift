package import PaymentPrimitives

/// What a transaction receipt of iOS 6 says: one purchase. Every field can be missing.
///
/// The property list around it also names an `environment`; that stands outside the signature, anybody can change it,
/// and it is not read.
package struct TransactionReceipt: Hashable, Sendable {
  /// `bid`
  package var bundleId: String? { fields["bid"] }
  /// `item-id` or `app-item-id`: Apple's number of the product or the app.
  package var itemId: String? { fields["item-id"] }
  /// `product-id`
  package var productId: String? { fields["product-id"] }
  /// `transaction-id`
  package var transactionId: String? { fields["transaction-id"] }
  /// `original-transaction-id`
  package var originalTransactionId: String? { fields["original-transaction-id"] }
  /// `quantity`
  package var quantity: Int64? { fields["quantity"].flatMap { Int64($0) } }
  /// `web-order-line-item-id` of a subscription.
  package var webOrderLineItemId: String? { fields["web-order-line-item-id"] }
  /// `purchase-date-ms`, or `purchase-date` to the second.
  package var purchaseDate: Timestamp? { date("purchase-date") }
  /// `original-purchase-date-ms`, or `original-purchase-date` to the second.
  package var originalPurchaseDate: Timestamp? { date("original-purchase-date") }
  /// `expires-date` of a subscription, in milliseconds.
  package var expiresDate: Timestamp? {
    fields["expires-date"].flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) } ?? date("expires-date-formatted")
  }
  /// `cancellation-date`: when Apple took the purchase back.
  package var cancellationDate: Timestamp? { date("cancellation-date") }

  /// Every field that is signed, by Apple's name.
  package let fields: [String: String]
  /// The exact bytes that are signed, without the version before them.
  package let purchaseInfo: [UInt8]

  init(fields: [String: String], purchaseInfo: [UInt8]) {
    self.fields = fields
    self.purchaseInfo = purchaseInfo
  }

  /// A date as Apple writes it beside each other: in milliseconds, and as `2012-04-30 15:05:55 Etc/GMT`.
  private func date(_ name: String) -> Timestamp? {
    if let milliseconds = fields[name + "-ms"] { return Int64(milliseconds).map { Timestamp(milliseconds: $0) } }
    guard let text = fields[name], text.hasSuffix(" Etc/GMT") else { return nil }
    return Timestamp(iso8601: text.dropLast(8) + "Z")
  }
}

extension AppStoreEvidence {
  /// The purchase of a verified transaction receipt.
  ///
  /// - Throws: `AppStoreEvidenceErrorCode` naming the field that is missing or cannot be true.
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
