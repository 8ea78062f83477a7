package import StrictJSON

/// Additional transaction fields of the Advanced Commerce API.
package struct AdvancedCommerceTransactionInfo: Hashable, Sendable, PayloadPart {
  package var descriptors: AdvancedCommerceDescriptors?
  /// The tax in milliunits of the currency.
  package var estimatedTax: Int64?
  package var items: [AdvancedCommerceTransactionItem]?
  package var period: KnownOrRaw<AdvancedCommercePeriod>?
  /// The developer's id of the request.
  package var requestReferenceId: String?
  package var taxCode: String?
  /// The price without tax in milliunits of the currency.
  package var taxExclusivePrice: Int64?
  /// The tax rate as text.
  package var taxRate: String?

  package init() {}
}

extension AdvancedCommerceTransactionInfo {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    descriptors = try fields.object("descriptors")
    estimatedTax = try fields.integer("estimatedTax")
    items = try fields.objects("items")
    period = try fields.listed("period")
    requestReferenceId = try fields.text("requestReferenceId")
    taxCode = try fields.text("taxCode")
    taxExclusivePrice = try fields.integer("taxExclusivePrice")
    taxRate = try fields.text("taxRate")
  }

  /// The value as a JSON object; absent fields are left out.
  package var json: JSONValue {
    .members([
      ("descriptors", .object(descriptors)),
      ("estimatedTax", .integer(estimatedTax)),
      ("items", .objects(items)),
      ("period", .listed(period)),
      ("requestReferenceId", .text(requestReferenceId)),
      ("taxCode", .text(taxCode)),
      ("taxExclusivePrice", .integer(taxExclusivePrice)),
      ("taxRate", .text(taxRate)),
    ])
  }
}
