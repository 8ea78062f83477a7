package import PaymentPrimitives
package import StrictJSON

/// The commitment that a transaction belongs to (1.21).
package struct TransactionCommitmentInfo: Hashable, Sendable, PayloadPart {
  /// Which period of the commitment this is, from 1.
  package var billingPeriodNumber: Int64?
  package var commitmentExpiresDate: Timestamp?
  /// The price of all of it in milliunits of the currency.
  package var commitmentPrice: Int64?
  package var totalBillingPeriods: Int64?

  package init() {}
}

extension TransactionCommitmentInfo {
  /// Reads what an object states; members that this version does not know are passed over.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    billingPeriodNumber = try fields.integer("billingPeriodNumber")
    commitmentExpiresDate = try fields.date("commitmentExpiresDate")
    commitmentPrice = try fields.integer("commitmentPrice")
    totalBillingPeriods = try fields.integer("totalBillingPeriods")
  }

  /// The same as JSON; what is not stated is left out.
  package var json: JSONValue {
    .members([
      ("billingPeriodNumber", .integer(billingPeriodNumber)),
      ("commitmentExpiresDate", .date(commitmentExpiresDate)),
      ("commitmentPrice", .integer(commitmentPrice)),
      ("totalBillingPeriods", .integer(totalBillingPeriods)),
    ])
  }
}
