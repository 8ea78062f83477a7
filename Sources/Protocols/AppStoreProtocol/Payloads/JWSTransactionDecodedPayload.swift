package import PaymentPrimitives
package import StrictJSON

/// A transaction as the App Store signs it, in Apple's words. Apple may leave out every field.
///
/// Dates are milliseconds since 1970; Xcode writes fractions, which are cut off.
package struct JWSTransactionDecodedPayload: Hashable, Sendable, SignedPayload {
  /// The id of the first transaction: of a subscription's line, of a non-consumable.
  package var originalTransactionId: String?
  /// The id of this transaction, a number as text.
  package var transactionId: String?
  /// The id of this period of a subscription.
  package var webOrderLineItemId: String?
  package var bundleId: String?
  /// The product, as named in App Store Connect.
  package var productId: String?
  package var subscriptionGroupIdentifier: String?
  /// When it was charged, or restored.
  package var purchaseDate: Timestamp?
  /// When the first transaction was charged.
  package var originalPurchaseDate: Timestamp?
  /// When the paid period of a subscription ends or renews.
  package var expiresDate: Timestamp?
  package var quantity: Int64?
  package var type: KnownOrRaw<ProductType>?
  /// The UUID that the app gave to the purchase; ours is the order id.
  package var appAccountToken: String?
  /// Whether the customer bought it himself.
  package var inAppOwnershipType: KnownOrRaw<InAppOwnershipType>?
  /// When the App Store signed this.
  package var signedDate: Timestamp?
  package var revocationReason: KnownOrRaw<RevocationReason>?
  package var revocationDate: Timestamp?
  /// How it was taken back (1.19).
  package var revocationType: KnownOrRaw<RevocationType>?
  /// How much was taken back: 100 000 is all of it (1.19).
  package var revocationPercentage: Int64?
  /// Whether the customer went on to a higher plan.
  package var isUpgraded: Bool?
  package var offerType: KnownOrRaw<OfferType>?
  package var offerIdentifier: String?
  package var offerDiscountType: KnownOrRaw<OfferDiscountType>?
  /// How long the offer lasts, as ISO 8601.
  package var offerPeriod: String?
  /// Which App Store; absent until 2022.
  package var environment: KnownOrRaw<AppStoreEnvironment>?
  /// The country of the store, three letters.
  package var storefront: String?
  package var storefrontId: String?
  package var transactionReason: KnownOrRaw<TransactionReason>?
  /// The product's price in milliunits of the currency; not for accounting, as Apple says.
  package var price: Int64?
  /// The currency, ISO 4217.
  package var currency: String?
  /// One for each Apple account and app (1.15).
  package var appTransactionId: String?
  /// The line that this one continues.
  package var previousOriginalTransactionId: String?
  /// How it is billed (1.21).
  package var billingPlanType: KnownOrRaw<BillingPlanType>?
  /// The commitment that it belongs to (1.21).
  package var commitmentInfo: TransactionCommitmentInfo?
  /// What the Advanced Commerce API adds.
  package var advancedCommerceInfo: AdvancedCommerceTransactionInfo?
  /// The seats of a group purchase (1.23).
  package var multiSeatInfo: MultiSeatInfo?
  /// A further reason (1.23).
  package var additionalTransactionReason: KnownOrRaw<AdditionalTransactionReason>?
  /// Only from a device: SHA-384 of nonce and device id, Base64.
  package var deviceVerification: String?
  /// Only from a device: the UUID that was hashed with the device's.
  package var deviceVerificationNonce: String?

  package init() {}
}

extension JWSTransactionDecodedPayload {
  /// Reads what an object states; members that this version does not know are passed over.
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

  /// The same as JSON; what is not stated is left out.
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

  /// What it claims of app, environment and time.
  package var claims: SignedDataClaims {
    SignedDataClaims(
      namesApp: .byBundle, bundleId: bundleId, environment: environment?.rawValue,
      signedDate: signedDate)
  }
}
