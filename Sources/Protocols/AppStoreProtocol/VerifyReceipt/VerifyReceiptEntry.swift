package import PaymentPrimitives
package import StrictJSON

/// One transaction in the form that `verifyReceipt` lists it.
package struct VerifyReceiptEntry: Hashable, Sendable {
  package enum CancellationReason: String, CaseIterable, Sendable {
    case other = "0"
    case appIssue = "1"
  }

  package let quantity: Int64?
  package let productId: String?
  /// The id of this transaction, a number as text.
  package let transactionId: String?
  /// The id of the first transaction.
  package let originalTransactionId: String?
  /// The time of the charge or of the restore.
  package let purchaseDate: Timestamp?
  /// The time at which the first transaction was charged.
  package let originalPurchaseDate: Timestamp?
  package let expiresDate: Timestamp?
  /// The time of the revocation; if present, nothing may be granted for the transaction.
  package let cancellationDate: Timestamp?
  package let cancellationReason: KnownOrRaw<CancellationReason>?
  /// Whether the period is a free trial.
  package let isTrialPeriod: Bool?
  /// Whether the period has an introductory price.
  package let isInIntroOfferPeriod: Bool?
  /// Whether the customer upgraded to a higher plan.
  package let isUpgraded: Bool?
  /// The id of this subscription period.
  package let webOrderLineItemId: String?
  package let promotionalOfferId: String?
  /// The name of the offer of the redeemed code.
  package let offerCodeRefName: String?
  package let subscriptionGroupIdentifier: String?
  /// Whether the customer is the buyer.
  package let inAppOwnershipType: KnownOrRaw<InAppOwnershipType>?
  /// The UUID that the app set for the purchase. We use the order id.
  package let appAccountToken: String?
  /// The unchanged entry, including members that this version does not know.
  package let source: JSONValue

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

/// Renewal information of a subscription from `verifyReceipt`. List numbers stay unchanged text.
package struct VerifyReceiptRenewal: Hashable, Sendable {
  /// The product after the renewal.
  package let autoRenewProductId: String?
  /// `1`: the subscription will renew; `0`: the customer turned renewal off.
  package let autoRenewStatus: String?
  /// The reason for the end: `1` the customer, `2` billing, `3` the price, `4` the product, `5` unknown.
  package let expirationIntent: String?
  /// The end of the access period while Apple retries the charge.
  package let gracePeriodExpiresDate: Timestamp?
  package let isInBillingRetryPeriod: Bool?
  package let originalTransactionId: String?
  package let productId: String?
  /// Whether the customer agreed to a price increase.
  package let priceConsentStatus: String?
  package let priceIncreaseStatus: String?
  package let promotionalOfferId: String?
  /// The name of the offer of the redeemed code.
  package let offerCodeRefName: String?
  package let source: JSONValue

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
