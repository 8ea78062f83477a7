package import PaymentPrimitives

/// The content of an app receipt: the App Store's file beside an app, with all purchases of the app that are not
/// finished.
///
/// Every field can be missing. Source: Apple's "Receipt Fields", and additional fields of genuine receipts.
package struct AppReceipt: Hashable, Sendable {
  /// `receipt_type` (0): the App Store environment that made it, in Apple's words (`Production`, `ProductionSandbox`,
  /// `Xcode`).
  package internal(set) var environment: String?
  /// `app_item_id` (1): Apple's number of the app; 0 outside production.
  package internal(set) var appItemId: Int64?
  /// `bundle_id` (2).
  package internal(set) var bundleId: String?
  /// The DER bytes of `bundle_id`, with tag and length; the device hash covers them.
  package internal(set) var bundleIdBytes: [UInt8]?
  /// `application_version` (3).
  package internal(set) var applicationVersion: String?
  /// An opaque value (4) that the device hash covers.
  package internal(set) var opaqueValue: [UInt8]?
  /// A SHA-1 (5) that identifies the device of the receipt.
  package internal(set) var deviceHash: [UInt8]?
  /// The date of the transaction (8).
  package internal(set) var transactionDate: Timestamp?
  /// The version of Apple's tool that made the receipt (9).
  package internal(set) var fulfilmentToolVersion: Int64?
  /// The age rating of the app (10): `4+`.
  package internal(set) var ageRating: String?
  /// Apple's number of the developer (11).
  package internal(set) var developerId: Int64?
  /// `receipt_creation_date` (12).
  package internal(set) var creationDate: Timestamp?
  /// `download_id` (15).
  package internal(set) var downloadId: Int64?
  /// `version_external_identifier` (16).
  package internal(set) var installerVersionId: Int64?
  /// `in_app` (17): the purchases, unordered; a consumable disappears after it is finished.
  package internal(set) var inApp: [InAppReceipt] = []
  /// `original_purchase_date` (18): the purchase of the app itself.
  package internal(set) var originalPurchaseDate: Timestamp?
  /// `original_application_version` (19).
  package internal(set) var originalApplicationVersion: String?
  /// `expiration_date` (21): only for apps that companies bought for their employees.
  package internal(set) var expirationDate: Timestamp?
  /// Attributes that this version does not know, unchanged.
  package internal(set) var unknown: [ReceiptAttribute] = []

  /// An empty receipt.
  init() {}
}

/// One purchase inside an app receipt. Every field can be missing.
package struct InAppReceipt: Hashable, Sendable {
  /// `quantity` (1701).
  package internal(set) var quantity: Int64?
  /// `product_id` (1702).
  package internal(set) var productId: String?
  /// `transaction_id` (1703).
  package internal(set) var transactionId: String?
  /// `purchase_date` (1704).
  package internal(set) var purchaseDate: Timestamp?
  /// `original_transaction_id` (1705).
  package internal(set) var originalTransactionId: String?
  /// `original_purchase_date` (1706).
  package internal(set) var originalPurchaseDate: Timestamp?
  /// The product type (1707): 0 non-consumable, 1 consumable, 2 non-renewing, 3 auto-renewable.
  package internal(set) var productType: Int64?
  /// `expires_date` (1708): the end of a subscription period.
  package internal(set) var expiresDate: Timestamp?
  /// `web_order_line_item_id` (1711).
  package internal(set) var webOrderLineItemId: Int64?
  /// `cancellation_date` (1712): the time at which Apple revoked the purchase.
  package internal(set) var cancellationDate: Timestamp?
  /// `is_trial_period` (1713).
  package internal(set) var isTrialPeriod: Int64?
  /// `is_in_intro_offer_period` (1719).
  package internal(set) var isInIntroOfferPeriod: Int64?
  /// `promotional_offer_id` (1721).
  package internal(set) var promotionalOfferId: String?
  /// Attributes that this version does not know, unchanged.
  package internal(set) var unknown: [ReceiptAttribute] = []

  /// An empty purchase.
  init() {}

  /// The product kind; nil if the receipt states none, or one that this version does not know.
  package var kind: ProductKind? {
    switch productType {
    case 0: .nonConsumable
    case 1: .consumable
    case 2: .nonRenewing
    case 3: .autoRenewable
    default: nil
    }
  }
}

/// One attribute of a receipt, unchanged.
package struct ReceiptAttribute: Hashable, Sendable {
  package let type: Int64
  package let version: Int64
  /// The bytes of the attribute, mostly a DER element.
  package let value: [UInt8]
}
