package import PaymentPrimitives
package import StrictJSON

/// A refund of an Advanced Commerce item.
package struct AdvancedCommerceRefund: Hashable, Sendable, PayloadPart {
  /// The amount in milliunits of the currency.
  package var refundAmount: Int64?
  package var refundDate: Timestamp?
  package var refundReason: KnownOrRaw<AdvancedCommerceRefundReason>?
  package var refundType: KnownOrRaw<AdvancedCommerceRefundType>?

  package init() {}
}

extension AdvancedCommerceRefund {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    refundAmount = try fields.integer("refundAmount")
    refundDate = try fields.date("refundDate")
    refundReason = try fields.listed("refundReason")
    refundType = try fields.listed("refundType")
  }

  /// The value as a JSON object; absent fields are left out.
  package var json: JSONValue {
    .members([
      ("refundAmount", .integer(refundAmount)),
      ("refundDate", .date(refundDate)),
      ("refundReason", .listed(refundReason)),
      ("refundType", .listed(refundType)),
    ])
  }
}
