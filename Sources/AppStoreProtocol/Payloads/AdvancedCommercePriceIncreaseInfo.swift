public import StrictJSON

/// A higher price of an Advanced Commerce item that is to come.
public struct AdvancedCommercePriceIncreaseInfo: Hashable, Sendable, PayloadPart {
  /// The items that depend on it.
  public var dependentSKUs: [String]?
  /// The new price in milliunits of the currency.
  public var price: Int64?
  /// How far it is.
  public var status: KnownOrRaw<AdvancedCommercePriceIncreaseInfoStatus>?

  /// Nothing stated.
  public init() {}
}

extension AdvancedCommercePriceIncreaseInfo {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    dependentSKUs = try fields.texts("dependentSKUs")
    price = try fields.integer("price")
    status = try fields.listed("status")
  }

  /// The same as JSON; what is not stated is left out.
  public var json: JSONValue {
    .members([
      ("dependentSKUs", .texts(dependentSKUs)),
      ("price", .integer(price)),
      ("status", .listed(status)),
    ])
  }
}
