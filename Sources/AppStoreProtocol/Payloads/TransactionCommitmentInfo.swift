public import PaymentVocabulary
public import StrictJSON

/// The commitment that a transaction belongs to (1.21).
public struct TransactionCommitmentInfo: Hashable, Sendable, PayloadPart {
  /// Which period of the commitment this is, from 1.
  public var billingPeriodNumber: Int64?
  /// When the commitment ends.
  public var commitmentExpiresDate: Timestamp?
  /// The price of all of it in milliunits of the currency.
  public var commitmentPrice: Int64?
  /// How many periods it has.
  public var totalBillingPeriods: Int64?

  /// Nothing stated.
  public init() {}
}

extension TransactionCommitmentInfo {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    billingPeriodNumber = try fields.integer("billingPeriodNumber")
    commitmentExpiresDate = try fields.date("commitmentExpiresDate")
    commitmentPrice = try fields.integer("commitmentPrice")
    totalBillingPeriods = try fields.integer("totalBillingPeriods")
  }

  /// The same as JSON; what is not stated is left out.
  public var json: JSONValue {
    .members([
      ("billingPeriodNumber", .integer(billingPeriodNumber)),
      ("commitmentExpiresDate", .date(commitmentExpiresDate)),
      ("commitmentPrice", .integer(commitmentPrice)),
      ("totalBillingPeriods", .integer(totalBillingPeriods)),
    ])
  }
}
