package import PaymentPrimitives
package import StrictJSON

/// A transaction as the App Store signs it, with Apple's field names. Apple may leave out every field.
///
/// Dates are milliseconds since 1970. Xcode writes fractions, which are cut off.
package struct JWSTransactionDecodedPayload: Hashable, Sendable, SignedPayload {
  /// The id of the first transaction of a subscription, or of a non-consumable.
  package var originalTransactionId: String?
  /// The id of this transaction, a number as text.
  package var transactionId: String?
  /// The id of this subscription period.
  package var webOrderLineItemId: String?
  package var bundleId: String?
  /// The product id from App Store Connect.
  package var productId: String?
  package var subscriptionGroupIdentifier: String?
  /// The time of the charge or of the restore.
  package var purchaseDate: Timestamp?
  /// The time at which the first transaction was charged.
  package var originalPurchaseDate: Timestamp?
  /// The time at which the paid subscription period ends or renews.
  package var expiresDate: Timestamp?
  package var quantity: Int64?
  package var type: KnownOrRaw<ProductType>?
  /// The UUID that the app set for the purchase. We use the order id.
  package var appAccountToken: String?
  /// Whether the customer is the buyer.
  package var inAppOwnershipType: KnownOrRaw<InAppOwnershipType>?
  /// The time at which the App Store signed this.
  package var signedDate: Timestamp?
  package var revocationReason: KnownOrRaw<RevocationReason>?
  package var revocationDate: Timestamp?
  /// How Apple revoked the purchase (1.19).
  package var revocationType: KnownOrRaw<RevocationType>?
  /// The revoked share; 100 000 means the whole purchase (1.19).
  package var revocationPercentage: Int64?
  /// Whether the customer upgraded to a higher plan.
  package var isUpgraded: Bool?
  package var offerType: KnownOrRaw<OfferType>?
  package var offerIdentifier: String?
  package var offerDiscountType: KnownOrRaw<OfferDiscountType>?
  /// The length of the offer in ISO 8601.
  package var offerPeriod: String?
  /// The App Store environment; absent until 2022.
  package var environment: KnownOrRaw<AppStoreEnvironment>?
  /// The country of the App Store storefront, three letters.
  package var storefront: String?
  package var storefrontId: String?
  package var transactionReason: KnownOrRaw<TransactionReason>?
  /// The product's price in milliunits of the currency. Apple says not to use it for accounting.
  package var price: Int64?
  /// The currency, ISO 4217.
  package var currency: String?
  /// An id that is unique for each Apple account and app (1.15).
  package var appTransactionId: String?
  /// The `originalTransactionId` of the subscription that this one continues.
  package var previousOriginalTransactionId: String?
  /// The billing plan (1.21).
  package var billingPlanType: KnownOrRaw<BillingPlanType>?
  /// The commitment of this transaction (1.21).
  package var commitmentInfo: TransactionCommitmentInfo?
  /// Additional fields of the Advanced Commerce API.
  package var advancedCommerceInfo: AdvancedCommerceTransactionInfo?
  /// The seats of a group purchase (1.23).
  package var multiSeatInfo: MultiSeatInfo?
  /// An additional reason (1.23).
  package var additionalTransactionReason: KnownOrRaw<AdditionalTransactionReason>?
  /// SHA-384 of the nonce and the device id, in Base64; only in data from a device.
  package var deviceVerification: String?
  /// The UUID that is hashed with the device's UUID; only in data from a device.
  package var deviceVerificationNonce: String?

  package init() {}
}

extension JWSTransactionDecodedPayload {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    originalTransactionId = try fields.text("originalTransactionId")
    transactionId = try fields.text("transactionId")
    webOrderLineItemId = try fields.text("webOrderLineItemId")
    bundleId = try fields.text("bundleId")
    productId = try fields.text("productId")
    subscriptionGroupIdentifier = try fields.text("subscriptionGroupIdentifier")
    purchaseDate = try fields.date("purchaseDate")
    originalPurchaseDate = try fields.date("originalPurchaseDate")
    expiresDate = try fields.date("expiresDate")
    quantity = try fields.integer("quantity")
    type = try fields.listed("type")
    appAccountToken = try fields.text("appAccountToken")
    inAppOwnershipType = try fields.listed("inAppOwnershipType")
    signedDate = try fields.date("signedDate")
    revocationReason = try fields.listed("revocationReason")
    revocationDate = try fields.date("revocationDate")
    revocationType = try fields.listed("revocationType")
    revocationPercentage = try fields.integer("revocationPercentage")
    isUpgraded = try fields.flag("isUpgraded")
    offerType = try fields.listed("offerType")
    offerIdentifier = try fields.text("offerIdentifier")
    offerDiscountType = try fields.listed("offerDiscountType")
    offerPeriod = try fields.text("offerPeriod")
    environment = try fields.listed("environment")
    storefront = try fields.text("storefront")
    storefrontId = try fields.text("storefrontId")
    transactionReason = try fields.listed("transactionReason")
    price = try fields.integer("price")
    currency = try fields.text("currency")
    appTransactionId = try fields.text("appTransactionId")
    previousOriginalTransactionId = try fields.text("previousOriginalTransactionId")
    billingPlanType = try fields.listed("billingPlanType")
    commitmentInfo = try fields.object("commitmentInfo")
    advancedCommerceInfo = try fields.object("advancedCommerceInfo")
    multiSeatInfo = try fields.object("multiSeatInfo")
    additionalTransactionReason = try fields.listed("additionalTransactionReason")
    deviceVerification = try fields.text("deviceVerification")
    deviceVerificationNonce = try fields.text("deviceVerificationNonce")
  }

  /// The value as a JSON object; absent fields are left out.
  package var json: JSONValue {
    .members([
      ("originalTransactionId", .text(originalTransactionId)),
      ("transactionId", .text(transactionId)),
      ("webOrderLineItemId", .text(webOrderLineItemId)),
      ("bundleId", .text(bundleId)),
      ("productId", .text(productId)),
      ("subscriptionGroupIdentifier", .text(subscriptionGroupIdentifier)),
      ("purchaseDate", .date(purchaseDate)),
      ("originalPurchaseDate", .date(originalPurchaseDate)),
      ("expiresDate", .date(expiresDate)),
      ("quantity", .integer(quantity)),
      ("type", .listed(type)),
      ("appAccountToken", .text(appAccountToken)),
      ("inAppOwnershipType", .listed(inAppOwnershipType)),
      ("signedDate", .date(signedDate)),
      ("revocationReason", .listed(revocationReason)),
      ("revocationDate", .date(revocationDate)),
      ("revocationType", .listed(revocationType)),
      ("revocationPercentage", .integer(revocationPercentage)),
      ("isUpgraded", .flag(isUpgraded)),
      ("offerType", .listed(offerType)),
      ("offerIdentifier", .text(offerIdentifier)),
      ("offerDiscountType", .listed(offerDiscountType)),
      ("offerPeriod", .text(offerPeriod)),
      ("environment", .listed(environment)),
      ("storefront", .text(storefront)),
      ("storefrontId", .text(storefrontId)),
      ("transactionReason", .listed(transactionReason)),
      ("price", .integer(price)),
      ("currency", .text(currency)),
      ("appTransactionId", .text(appTransactionId)),
      ("previousOriginalTransactionId", .text(previousOriginalTransactionId)),
      ("billingPlanType", .listed(billingPlanType)),
      ("commitmentInfo", .object(commitmentInfo)),
      ("advancedCommerceInfo", .object(advancedCommerceInfo)),
      ("multiSeatInfo", .object(multiSeatInfo)),
      ("additionalTransactionReason", .listed(additionalTransactionReason)),
      ("deviceVerification", .text(deviceVerification)),
      ("deviceVerificationNonce", .text(deviceVerificationNonce)),
    ])
  }
}

extension JWSTransactionDecodedPayload {
  package static var kind: SignedDataKind { .transaction }

  /// The claimed app, environment and signing time.
  package var claims: SignedDataClaims {
    SignedDataClaims(
      namesApp: .byBundle, bundleId: bundleId, environment: environment?.rawValue,
      signedDate: signedDate)
  }
}
