package import StrictJSON

/// A future price increase of an Advanced Commerce item.
package struct AdvancedCommercePriceIncreaseInfo: Hashable, Sendable, PayloadPart {
  /// The items that depend on this price increase.
  package var dependentSKUs: [String]?
  /// The new price in milliunits of the currency.
  package var price: Int64?
  package var status: KnownOrRaw<AdvancedCommercePriceIncreaseInfoStatus>?

  package init() {}
}

extension AdvancedCommercePriceIncreaseInfo {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    dependentSKUs = try fields.texts("dependentSKUs")
    price = try fields.integer("price")
    status = try fields.listed("status")
  }

  /// The value as a JSON object; absent fields are left out.
  package var json: JSONValue {
    .members([
      ("dependentSKUs", .texts(dependentSKUs)),
      ("price", .integer(price)),
      ("status", .listed(status)),
    ])
  }
}
