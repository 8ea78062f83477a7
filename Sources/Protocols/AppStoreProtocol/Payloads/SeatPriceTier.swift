package import StrictJSON

/// A number of seats of a group purchase that have the same price (1.23).
package struct SeatPriceTier: Hashable, Sendable, PayloadPart {
  /// The price of a seat in milliunits of the currency.
  package var price: Int64?
  package var quantity: Int64?

  package init() {}
}

extension SeatPriceTier {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    price = try fields.integer("price")
    quantity = try fields.integer("quantity")
  }

  /// The value as a JSON object; absent fields are left out.
  package var json: JSONValue {
    .members([
      ("price", .integer(price)),
      ("quantity", .integer(quantity)),
    ])
  }
}
