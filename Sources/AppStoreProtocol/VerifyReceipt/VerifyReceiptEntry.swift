public import PaymentVocabulary
public import StrictJSON

/// One transaction as `verifyReceipt` lists it.
public struct VerifyReceiptEntry: Hashable, Sendable {
  /// Why Apple took it back.
  public enum CancellationReason: String, CaseIterable, Sendable {
    /// For another reason.
    case other = "0"
    /// Because of an issue with the app.
    case appIssue = "1"
  }

  /// Pieces.
  public let quantity: Int64?
  /// The product.
  public let productId: String?
  /// The id of this transaction, a number as text.
  public let transactionId: String?
  /// The id of the first transaction.
  public let originalTransactionId: String?
  /// When it was charged, or restored.
  public let purchaseDate: Timestamp?
  /// When the first transaction was charged.
  public let originalPurchaseDate: Timestamp?
  /// When the paid period ends.
  public let expiresDate: Timestamp?
  /// When it was taken back; then nothing may be granted for it.
  public let cancellationDate: Timestamp?
  /// Why.
  public let cancellationReason: KnownOrRaw<CancellationReason>?
  /// Whether the period is a free trial.
  public let isTrialPeriod: Bool?
  /// Whether the period has an introductory price.
  public let isInIntroOfferPeriod: Bool?
  /// Whether the customer went on to a higher plan.
  public let isUpgraded: Bool?
  /// The id of this period of a subscription.
  public let webOrderLineItemId: String?
  /// The promotional offer.
  public let promotionalOfferId: String?
  /// The name of the offer whose code was redeemed.
  public let offerCodeRefName: String?
  /// The group of a subscription.
  public let subscriptionGroupIdentifier: String?
  /// Whether the customer bought it himself.
  public let inAppOwnershipType: KnownOrRaw<InAppOwnershipType>?
  /// The UUID that the app gave to the purchase; ours is the order id.
  public let appAccountToken: String?
  /// The entry as it came, with what this version does not know.
  public let source: JSONValue

  init(_ value: JSONValue) throws(PayloadProblem) {
    let fields = try VerifyReceiptFields(value)
    quantity = try fields.integer("quantity")
    productId = try fields.text("product_id")
    transactionId = try fields.text("transaction_id")
    originalTransactionId = try fields.text("original_transaction_id")
    purchaseDate = try fields.date("purchase_date")
    originalPurchaseDate = try fields.date("original_purchase_date")
    expiresDate = try fields.date("expires_date")
    cancellationDate = try fields.date("cancellation_date")
    cancellationReason = try fields.listed("cancellation_reason")
    isTrialPeriod = try fields.flag("is_trial_period")
    isInIntroOfferPeriod = try fields.flag("is_in_intro_offer_period")
    isUpgraded = try fields.flag("is_upgraded")
    webOrderLineItemId = try fields.text("web_order_line_item_id")
    promotionalOfferId = try fields.text("promotional_offer_id")
    offerCodeRefName = try fields.text("offer_code_ref_name")
    subscriptionGroupIdentifier = try fields.text("subscription_group_identifier")
    inAppOwnershipType = try fields.listed("in_app_ownership_type")
    appAccountToken = try fields.text("app_account_token")
    source = value
  }
}

/// What will become of a subscription, as `verifyReceipt` tells it. Numbers of lists are kept as text, as they came.
public struct VerifyReceiptRenewal: Hashable, Sendable {
  /// The product that it renews to.
  public let autoRenewProductId: String?
  /// `1`: it will renew; `0`: the customer turned it off.
  public let autoRenewStatus: String?
  /// Why it ended: `1` the customer, `2` billing, `3` the price, `4` the product, `5` unknown.
  public let expirationIntent: String?
  /// Until when access stays while Apple tries to charge.
  public let gracePeriodExpiresDate: Timestamp?
  /// Whether Apple tries to charge.
  public let isInBillingRetryPeriod: Bool?
  /// The line.
  public let originalTransactionId: String?
  /// The product of now.
  public let productId: String?
  /// Whether the customer agreed to a higher price.
  public let priceConsentStatus: String?
  /// Whether he was asked.
  public let priceIncreaseStatus: String?
  /// The promotional offer.
  public let promotionalOfferId: String?
  /// The name of the offer whose code was redeemed.
  public let offerCodeRefName: String?
  /// The entry as it came.
  public let source: JSONValue

  init(_ value: JSONValue) throws(PayloadProblem) {
    let fields = try VerifyReceiptFields(value)
    autoRenewProductId = try fields.text("auto_renew_product_id")
    autoRenewStatus = try fields.text("auto_renew_status")
    expirationIntent = try fields.text("expiration_intent")
    gracePeriodExpiresDate = try fields.date("grace_period_expires_date")
    isInBillingRetryPeriod = try fields.flag("is_in_billing_retry_period")
    originalTransactionId = try fields.text("original_transaction_id")
    productId = try fields.text("product_id")
    priceConsentStatus = try fields.text("price_consent_status")
    priceIncreaseStatus = try fields.text("price_increase_status")
    promotionalOfferId = try fields.text("promotional_offer_id")
    offerCodeRefName = try fields.text("offer_code_ref_name")
    source = value
  }
}
