package import PaymentPrimitives
package import StrictJSON

/// The commitment of a subscription after its renewal (1.21).
package struct RenewalCommitmentInfo: Hashable, Sendable, PayloadPart {
  package var commitmentAutoRenewProductId: String?
  package var commitmentAutoRenewStatus: KnownOrRaw<AutoRenewStatus>?
  package var commitmentRenewalBillingPlanType: KnownOrRaw<BillingPlanType>?
  package var commitmentRenewalDate: Timestamp?
  /// The renewal price in milliunits of the currency.
  package var commitmentRenewalPrice: Int64?

  package init() {}
}

extension RenewalCommitmentInfo {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    commitmentAutoRenewProductId = try fields.text("commitmentAutoRenewProductId")
    commitmentAutoRenewStatus = try fields.listed("commitmentAutoRenewStatus")
    commitmentRenewalBillingPlanType = try fields.listed("commitmentRenewalBillingPlanType")
    commitmentRenewalDate = try fields.date("commitmentRenewalDate")
    commitmentRenewalPrice = try fields.integer("commitmentRenewalPrice")
  }

  /// The value as a JSON object; absent fields are left out.
  package var json: JSONValue {
    .members([
      ("commitmentAutoRenewProductId", .text(commitmentAutoRenewProductId)),
      ("commitmentAutoRenewStatus", .listed(commitmentAutoRenewStatus)),
      ("commitmentRenewalBillingPlanType", .listed(commitmentRenewalBillingPlanType)),
      ("commitmentRenewalDate", .date(commitmentRenewalDate)),
      ("commitmentRenewalPrice", .integer(commitmentRenewalPrice)),
    ])
  }
}
