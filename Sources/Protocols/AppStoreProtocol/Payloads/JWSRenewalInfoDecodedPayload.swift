package import PaymentPrimitives
package import StrictJSON

/// What will become of a subscription, as the App Store signs it, in Apple's words. It names no app.
package struct JWSRenewalInfoDecodedPayload: Hashable, Sendable, SignedPayload {
  package var expirationIntent: KnownOrRaw<ExpirationIntent>?
  package var originalTransactionId: String?
  package var autoRenewProductId: String?
  /// The product of the current period.
  package var productId: String?
  package var autoRenewStatus: KnownOrRaw<AutoRenewStatus>?
  /// Whether Apple tries to charge again.
  package var isInBillingRetryPeriod: Bool?
  /// What the customer said to a higher price.
  package var priceIncreaseStatus: KnownOrRaw<PriceIncreaseStatus>?
  package var gracePeriodExpiresDate: Timestamp?
  /// The kind of offer at the next renewal.
  package var offerType: KnownOrRaw<OfferType>?
  /// The offer at the next renewal.
  package var offerIdentifier: String?
  package var offerDiscountType: KnownOrRaw<OfferDiscountType>?
  /// How long that offer lasts, as ISO 8601.
  package var offerPeriod: String?
  /// When the App Store signed this.
  package var signedDate: Timestamp?
  /// Which App Store; absent until 2022.
  package var environment: KnownOrRaw<AppStoreEnvironment>?
  /// When the present run of periods began.
  package var recentSubscriptionStartDate: Timestamp?
  package var renewalDate: Timestamp?
  /// At what price, in milliunits of the currency.
  package var renewalPrice: Int64?
  /// The currency, ISO 4217.
  package var currency: String?
  /// The win-back offers that the customer may use.
  package var eligibleWinBackOfferIds: [String]?
  /// The UUID that the app gave to the purchase.
  package var appAccountToken: String?
  /// One for each Apple account and app.
  package var appTransactionId: String?
  /// What the Advanced Commerce API adds.
  package var advancedCommerceInfo: AdvancedCommerceRenewalInfo?
  /// The commitment that it will renew into (1.21).
  package var commitmentInfo: RenewalCommitmentInfo?
  /// How it will be billed (1.21).
  package var renewalBillingPlanType: KnownOrRaw<BillingPlanType>?
  /// How many seats will renew (1.23).
  package var renewalQuantity: Int64?
  /// The seats that will renew (1.23).
  package var multiSeatInfo: RenewalMultiSeatInfo?
  /// Only from a device: SHA-384 of nonce and device id, Base64.
  package var deviceVerification: String?
  /// Only from a device: the UUID that was hashed with the device's.
  package var deviceVerificationNonce: String?

  package init() {}
}

extension JWSRenewalInfoDecodedPayload {
  /// Reads what an object states; members that this version does not know are passed over.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    expirationIntent = try fields.listed("expirationIntent")
    originalTransactionId = try fields.text("originalTransactionId")
    autoRenewProductId = try fields.text("autoRenewProductId")
    productId = try fields.text("productId")
    autoRenewStatus = try fields.listed("autoRenewStatus")
    isInBillingRetryPeriod = try fields.flag("isInBillingRetryPeriod")
    priceIncreaseStatus = try fields.listed("priceIncreaseStatus")
    gracePeriodExpiresDate = try fields.date("gracePeriodExpiresDate")
    offerType = try fields.listed("offerType")
    offerIdentifier = try fields.text("offerIdentifier")
    offerDiscountType = try fields.listed("offerDiscountType")
    offerPeriod = try fields.text("offerPeriod")
    signedDate = try fields.date("signedDate")
    environment = try fields.listed("environment")
    recentSubscriptionStartDate = try fields.date("recentSubscriptionStartDate")
    renewalDate = try fields.date("renewalDate")
    renewalPrice = try fields.integer("renewalPrice")
    currency = try fields.text("currency")
    eligibleWinBackOfferIds = try fields.texts("eligibleWinBackOfferIds")
    appAccountToken = try fields.text("appAccountToken")
    appTransactionId = try fields.text("appTransactionId")
    advancedCommerceInfo = try fields.object("advancedCommerceInfo")
    commitmentInfo = try fields.object("commitmentInfo")
    renewalBillingPlanType = try fields.listed("renewalBillingPlanType")
    renewalQuantity = try fields.integer("renewalQuantity")
    multiSeatInfo = try fields.object("multiSeatInfo")
    deviceVerification = try fields.text("deviceVerification")
    deviceVerificationNonce = try fields.text("deviceVerificationNonce")
  }

  /// The same as JSON; what is not stated is left out.
  package var json: JSONValue {
    .members([
      ("expirationIntent", .listed(expirationIntent)),
      ("originalTransactionId", .text(originalTransactionId)),
      ("autoRenewProductId", .text(autoRenewProductId)),
      ("productId", .text(productId)),
      ("autoRenewStatus", .listed(autoRenewStatus)),
      ("isInBillingRetryPeriod", .flag(isInBillingRetryPeriod)),
      ("priceIncreaseStatus", .listed(priceIncreaseStatus)),
      ("gracePeriodExpiresDate", .date(gracePeriodExpiresDate)),
      ("offerType", .listed(offerType)),
      ("offerIdentifier", .text(offerIdentifier)),
      ("offerDiscountType", .listed(offerDiscountType)),
      ("offerPeriod", .text(offerPeriod)),
      ("signedDate", .date(signedDate)),
      ("environment", .listed(environment)),
      ("recentSubscriptionStartDate", .date(recentSubscriptionStartDate)),
      ("renewalDate", .date(renewalDate)),
      ("renewalPrice", .integer(renewalPrice)),
      ("currency", .text(currency)),
      ("eligibleWinBackOfferIds", .texts(eligibleWinBackOfferIds)),
      ("appAccountToken", .text(appAccountToken)),
      ("appTransactionId", .text(appTransactionId)),
      ("advancedCommerceInfo", .object(advancedCommerceInfo)),
      ("commitmentInfo", .object(commitmentInfo)),
      ("renewalBillingPlanType", .listed(renewalBillingPlanType)),
      ("renewalQuantity", .integer(renewalQuantity)),
      ("multiSeatInfo", .object(multiSeatInfo)),
      ("deviceVerification", .text(deviceVerification)),
      ("deviceVerificationNonce", .text(deviceVerificationNonce)),
    ])
  }
}

extension JWSRenewalInfoDecodedPayload {
  package static var kind: SignedDataKind { .renewalInfo }

  /// What it claims of environment and time.
  package var claims: SignedDataClaims {
    SignedDataClaims(
      namesApp: .not, environment: environment?.rawValue, signedDate: signedDate)
  }
}
