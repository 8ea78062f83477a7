public import PaymentVocabulary
public import StrictJSON

/// A refund of an Advanced Commerce item.
public struct AdvancedCommerceRefund: Hashable, Sendable, PayloadPart {
  /// The amount in milliunits of the currency.
  public var refundAmount: Int64?
  /// When.
  public var refundDate: Timestamp?
  /// Why.
  public var refundReason: KnownOrRaw<AdvancedCommerceRefundReason>?
  /// How it was reckoned.
  public var refundType: KnownOrRaw<AdvancedCommerceRefundType>?

  /// Nothing stated.
  public init() {}
}

extension AdvancedCommerceRefund {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    refundAmount = try fields.integer("refundAmount")
    refundDate = try fields.date("refundDate")
    refundReason = try fields.listed("refundReason")
    refundType = try fields.listed("refundType")
  }

  /// The same as JSON; what is not stated is left out.
  public var json: JSONValue {
    .members([
      ("refundAmount", .integer(refundAmount)),
      ("refundDate", .date(refundDate)),
      ("refundReason", .listed(refundReason)),
      ("refundType", .listed(refundType)),
    ])
  }
}
