package import StrictJSON

/// One item of an Advanced Commerce subscription that will renew.
package struct AdvancedCommerceRenewalItem: Hashable, Sendable, PayloadPart {
  package var SKU: String?
  package var description: String?
  package var displayName: String?
  /// The offer that it will renew with.
  package var offer: AdvancedCommerceOffer?
  /// The price in milliunits of the currency.
  package var price: Int64?
  /// A higher price that is to come.
  package var priceIncreaseInfo: AdvancedCommercePriceIncreaseInfo?

  package init() {}
}

extension AdvancedCommerceRenewalItem {
  /// Reads what an object states; members that this version does not know are passed over.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    SKU = try fields.text("SKU")
    description = try fields.text("description")
    displayName = try fields.text("displayName")
    offer = try fields.object("offer")
    price = try fields.integer("price")
    priceIncreaseInfo = try fields.object("priceIncreaseInfo")
  }

  /// The same as JSON; what is not stated is left out.
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
