public import PaymentVocabulary
public import StrictJSON

/// The commitment that a subscription will renew into (1.21).
public struct RenewalCommitmentInfo: Hashable, Sendable, PayloadPart {
  /// The product.
  public var commitmentAutoRenewProductId: String?
  /// Whether it will renew.
  public var commitmentAutoRenewStatus: KnownOrRaw<AutoRenewStatus>?
  /// How it will be billed.
  public var commitmentRenewalBillingPlanType: KnownOrRaw<BillingPlanType>?
  /// When it will renew.
  public var commitmentRenewalDate: Timestamp?
  /// At what price, in milliunits of the currency.
  public var commitmentRenewalPrice: Int64?

  /// Nothing stated.
  public init() {}
}

extension RenewalCommitmentInfo {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    commitmentAutoRenewProductId = try fields.text("commitmentAutoRenewProductId")
    commitmentAutoRenewStatus = try fields.listed("commitmentAutoRenewStatus")
    commitmentRenewalBillingPlanType = try fields.listed("commitmentRenewalBillingPlanType")
    commitmentRenewalDate = try fields.date("commitmentRenewalDate")
    commitmentRenewalPrice = try fields.integer("commitmentRenewalPrice")
  }

  /// The same as JSON; what is not stated is left out.
  public var json: JSONValue {
    .members([
      ("commitmentAutoRenewProductId", .text(commitmentAutoRenewProductId)),
      ("commitmentAutoRenewStatus", .listed(commitmentAutoRenewStatus)),
      ("commitmentRenewalBillingPlanType", .listed(commitmentRenewalBillingPlanType)),
      ("commitmentRenewalDate", .date(commitmentRenewalDate)),
      ("commitmentRenewalPrice", .integer(commitmentRenewalPrice)),
    ])
  }
}
