package import PaymentPrimitives
package import StrictJSON

/// Renewal information of a subscription, as the App Store signs it, with Apple's field names. It names no app.
package struct JWSRenewalInfoDecodedPayload: Hashable, Sendable, SignedPayload {
  package var expirationIntent: KnownOrRaw<ExpirationIntent>?
  package var originalTransactionId: String?
  package var autoRenewProductId: String?
  /// The product of the current period.
  package var productId: String?
  package var autoRenewStatus: KnownOrRaw<AutoRenewStatus>?
  /// Whether Apple retries a failed charge.
  package var isInBillingRetryPeriod: Bool?
  /// The customer's answer to a price increase.
  package var priceIncreaseStatus: KnownOrRaw<PriceIncreaseStatus>?
  package var gracePeriodExpiresDate: Timestamp?
  /// The kind of offer at the next renewal.
  package var offerType: KnownOrRaw<OfferType>?
  /// The offer at the next renewal.
  package var offerIdentifier: String?
  package var offerDiscountType: KnownOrRaw<OfferDiscountType>?
  /// The length of that offer in ISO 8601.
  package var offerPeriod: String?
  /// The time at which the App Store signed this.
  package var signedDate: Timestamp?
  /// The App Store environment; absent until 2022.
  package var environment: KnownOrRaw<AppStoreEnvironment>?
  /// The beginning of the current uninterrupted series of periods.
  package var recentSubscriptionStartDate: Timestamp?
  package var renewalDate: Timestamp?
  /// The renewal price in milliunits of the currency.
  package var renewalPrice: Int64?
  /// The currency, ISO 4217.
  package var currency: String?
  /// The win-back offers that the customer may use.
  package var eligibleWinBackOfferIds: [String]?
  /// The UUID that the app set for the purchase.
  package var appAccountToken: String?
  /// An id that is unique for each Apple account and app.
  package var appTransactionId: String?
  /// Additional fields of the Advanced Commerce API.
  package var advancedCommerceInfo: AdvancedCommerceRenewalInfo?
  /// The commitment after the renewal (1.21).
  package var commitmentInfo: RenewalCommitmentInfo?
  /// The billing plan after the renewal (1.21).
  package var renewalBillingPlanType: KnownOrRaw<BillingPlanType>?
  /// The number of seats that will renew (1.23).
  package var renewalQuantity: Int64?
  /// The seats that will renew (1.23).
  package var multiSeatInfo: RenewalMultiSeatInfo?
  /// SHA-384 of the nonce and the device id, in Base64; only in data from a device.
  package var deviceVerification: String?
  /// The UUID that is hashed with the device's UUID; only in data from a device.
  package var deviceVerificationNonce: String?

  package init() {}
}

extension JWSRenewalInfoDecodedPayload {
  /// Reads a JSON object; unknown members are ignored.
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

  /// The value as a JSON object; absent fields are left out.
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

  /// The claimed environment and signing time.
  package var claims: SignedDataClaims {
    SignedDataClaims(
      namesApp: .not, environment: environment?.rawValue, signedDate: signedDate)
  }
}
