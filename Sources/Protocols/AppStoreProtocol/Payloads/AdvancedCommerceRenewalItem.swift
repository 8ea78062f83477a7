package import StrictJSON

/// One item of an Advanced Commerce subscription at its next renewal.
package struct AdvancedCommerceRenewalItem: Hashable, Sendable, PayloadPart {
  package var SKU: String?
  package var description: String?
  package var displayName: String?
  /// The offer that applies at the renewal.
  package var offer: AdvancedCommerceOffer?
  /// The price in milliunits of the currency.
  package var price: Int64?
  /// A future price increase.
  package var priceIncreaseInfo: AdvancedCommercePriceIncreaseInfo?

  package init() {}
}

extension AdvancedCommerceRenewalItem {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    SKU = try fields.text("SKU")
    description = try fields.text("description")
    displayName = try fields.text("displayName")
    offer = try fields.object("offer")
    price = try fields.integer("price")
    priceIncreaseInfo = try fields.object("priceIncreaseInfo")
  }

  /// The value as a JSON object; absent fields are left out.
  package var json: JSONValue {
    .members([
      ("SKU", .text(SKU)),
      ("description", .text(description)),
      ("displayName", .text(displayName)),
      ("offer", .object(offer)),
      ("price", .integer(price)),
      ("priceIncreaseInfo", .object(priceIncreaseInfo)),
    ])
  }
}
