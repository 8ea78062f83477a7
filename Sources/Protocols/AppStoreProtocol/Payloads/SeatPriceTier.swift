package import StrictJSON

/// So many seats of a group purchase at one price (1.23).
package struct SeatPriceTier: Hashable, Sendable, PayloadPart {
  /// The price of a seat in milliunits of the currency.
  package var price: Int64?
  package var quantity: Int64?

  package init() {}
}

extension SeatPriceTier {
  /// Reads what an object states; members that this version does not know are passed over.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    price = try fields.integer("price")
    quantity = try fields.integer("quantity")
  }

  /// The same as JSON; what is not stated is left out.
  package var json: JSONValue {
    .members([
      ("price", .integer(price)),
      ("quantity", .integer(quantity)),
    ])
  }
}
