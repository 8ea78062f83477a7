package import PaymentPrimitives
package import StrictJSON

/// The commitment of a transaction (1.21).
package struct TransactionCommitmentInfo: Hashable, Sendable, PayloadPart {
  /// The number of this period within the commitment, from 1.
  package var billingPeriodNumber: Int64?
  package var commitmentExpiresDate: Timestamp?
  /// The price of the whole commitment in milliunits of the currency.
  package var commitmentPrice: Int64?
  package var totalBillingPeriods: Int64?

  package init() {}
}

extension TransactionCommitmentInfo {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    billingPeriodNumber = try fields.integer("billingPeriodNumber")
    commitmentExpiresDate = try fields.date("commitmentExpiresDate")
    commitmentPrice = try fields.integer("commitmentPrice")
    totalBillingPeriods = try fields.integer("totalBillingPeriods")
  }

  /// The value as a JSON object; absent fields are left out.
  package var json: JSONValue {
    .members([
      ("billingPeriodNumber", .integer(billingPeriodNumber)),
      ("commitmentExpiresDate", .date(commitmentExpiresDate)),
      ("commitmentPrice", .integer(commitmentPrice)),
      ("totalBillingPeriods", .integer(totalBillingPeriods)),
    ])
  }
}
