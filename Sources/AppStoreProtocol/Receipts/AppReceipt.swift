public import PaymentVocabulary

/// What an app receipt says: the file that the App Store leaves beside an app, for all that was bought in it and not
/// yet finished.
///
/// Every field can be missing. Source: Apple's "Receipt Fields", with the fields that genuine receipts have beyond it.
public struct AppReceipt: Hashable, Sendable {
  /// `receipt_type` (0): the App Store that made it, in Apple's words (`Production`, `ProductionSandbox`, `Xcode`).
  public internal(set) var environment: String?
  /// `app_item_id` (1): Apple's number of the app; 0 outside production.
  public internal(set) var appItemId: Int64?
  /// `bundle_id` (2)
  public internal(set) var bundleId: String?
  /// The bytes of `bundle_id` as the device hash counts them, with tag and length.
  public internal(set) var bundleIdBytes: [UInt8]?
  /// `application_version` (3)
  public internal(set) var applicationVersion: String?
  /// An opaque value (4), which the device hash counts.
  public internal(set) var opaqueValue: [UInt8]?
  /// A SHA-1 (5) that shows on which device it was made.
  public internal(set) var deviceHash: [UInt8]?
  /// The date of the transaction (8).
  public internal(set) var transactionDate: Timestamp?
  /// The version of Apple's tool that made it (9).
  public internal(set) var fulfilmentToolVersion: Int64?
  /// The age rating of the app (10): `4+`.
  public internal(set) var ageRating: String?
  /// Apple's number of the developer (11).
  public internal(set) var developerId: Int64?
  /// `receipt_creation_date` (12)
  public internal(set) var creationDate: Timestamp?
  /// `download_id` (15)
  public internal(set) var downloadId: Int64?
  /// `version_external_identifier` (16)
  public internal(set) var installerVersionId: Int64?
  /// `in_app` (17): in no order; a consumable leaves once it is finished.
  public internal(set) var inApp: [InAppReceipt] = []
  /// `original_purchase_date` (18): when the app itself was bought.
  public internal(set) var originalPurchaseDate: Timestamp?
  /// `original_application_version` (19)
  public internal(set) var originalApplicationVersion: String?
  /// `expiration_date` (21): of apps bought by companies for their people.
  public internal(set) var expirationDate: Timestamp?
  /// Attributes that this version does not know, as they came.
  public internal(set) var unknown: [ReceiptAttribute] = []

  /// A receipt that says nothing yet.
  init() {}
}

/// One purchase inside an app receipt. Every field can be missing.
public struct InAppReceipt: Hashable, Sendable {
  /// `quantity` (1701)
  public internal(set) var quantity: Int64?
  /// `product_id` (1702)
  public internal(set) var productId: String?
  /// `transaction_id` (1703)
  public internal(set) var transactionId: String?
  /// `purchase_date` (1704)
  public internal(set) var purchaseDate: Timestamp?
  /// `original_transaction_id` (1705)
  public internal(set) var originalTransactionId: String?
  /// `original_purchase_date` (1706)
  public internal(set) var originalPurchaseDate: Timestamp?
  /// The kind of product (1707): 0 non-consumable, 1 consumable, 2 non-renewing, 3 renewed by Apple.
  public internal(set) var productType: Int64?
  /// `expires_date` (1708) of a subscription.
  public internal(set) var expiresDate: Timestamp?
  /// `web_order_line_item_id` (1711)
  public internal(set) var webOrderLineItemId: Int64?
  /// `cancellation_date` (1712): when Apple took the purchase back.
  public internal(set) var cancellationDate: Timestamp?
  /// `is_trial_period` (1713)
  public internal(set) var isTrialPeriod: Int64?
  /// `is_in_intro_offer_period` (1719)
  public internal(set) var isInIntroOfferPeriod: Int64?
  /// `promotional_offer_id` (1721)
  public internal(set) var promotionalOfferId: String?
  /// Attributes that this version does not know, as they came.
  public internal(set) var unknown: [ReceiptAttribute] = []

  /// A purchase that says nothing yet.
  init() {}

  /// The kind of product; nil when the receipt does not say, or says what this version does not know.
  public var kind: ProductKind? {
    switch productType {
    case 0: .nonConsumable
    case 1: .consumable
    case 2: .nonRenewing
    case 3: .autoRenewable
    default: nil
    }
  }
}

/// One attribute of a receipt as it came.
public struct ReceiptAttribute: Hashable, Sendable {
  /// Its number.
  public let type: Int64
  /// The version of its form.
  public let version: Int64
  /// Its bytes, mostly an element of DER.
  public let value: [UInt8]
}
