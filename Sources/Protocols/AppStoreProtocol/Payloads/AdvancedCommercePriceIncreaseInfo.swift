package import StrictJSON

/// A higher price of an Advanced Commerce item that is to come.
package struct AdvancedCommercePriceIncreaseInfo: Hashable, Sendable, PayloadPart {
  /// The items that depend on it.
  package var dependentSKUs: [String]?
  /// The new price in milliunits of the currency.
  package var price: Int64?
  package var status: KnownOrRaw<AdvancedCommercePriceIncreaseInfoStatus>?

  package init() {}
}

extension AdvancedCommercePriceIncreaseInfo {
  /// Reads what an object states; members that this version does not know are passed over.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    dependentSKUs = try fields.texts("dependentSKUs")
    price = try fields.integer("price")
    status = try fields.listed("status")
  }

  /// The same as JSON; what is not stated is left out.
  package var json: JSONValue {
    .members([
      ("dependentSKUs", .texts(dependentSKUs)),
      ("price", .integer(price)),
      ("status", .listed(status)),
    ])
  }
}
