public import StrictJSON

/// What a transaction of the Advanced Commerce API states beside the rest.
public struct AdvancedCommerceTransactionInfo: Hashable, Sendable, PayloadPart {
  /// What the customer reads.
  public var descriptors: AdvancedCommerceDescriptors?
  /// The tax in milliunits of the currency.
  public var estimatedTax: Int64?
  /// The items.
  public var items: [AdvancedCommerceTransactionItem]?
  /// How long a period is.
  public var period: KnownOrRaw<AdvancedCommercePeriod>?
  /// The developer's id of the request.
  public var requestReferenceId: String?
  /// The tax code.
  public var taxCode: String?
  /// The price without tax in milliunits of the currency.
  public var taxExclusivePrice: Int64?
  /// The rate of tax, as text.
  public var taxRate: String?

  /// Nothing stated.
  public init() {}
}

extension AdvancedCommerceTransactionInfo {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    descriptors = try fields.object("descriptors")
    estimatedTax = try fields.integer("estimatedTax")
    items = try fields.objects("items")
    period = try fields.listed("period")
    requestReferenceId = try fields.text("requestReferenceId")
    taxCode = try fields.text("taxCode")
    taxExclusivePrice = try fields.integer("taxExclusivePrice")
    taxRate = try fields.text("taxRate")
  }

  /// The same as JSON; what is not stated is left out.
  public var json: JSONValue {
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
