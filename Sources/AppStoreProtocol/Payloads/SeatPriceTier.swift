public import StrictJSON

/// So many seats of a group purchase at one price (1.23).
public struct SeatPriceTier: Hashable, Sendable, PayloadPart {
  /// The price of a seat in milliunits of the currency.
  public var price: Int64?
  /// How many seats.
  public var quantity: Int64?

  /// Nothing stated.
  public init() {}
}

extension SeatPriceTier {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    price = try fields.integer("price")
    quantity = try fields.integer("quantity")
  }

  /// The same as JSON; what is not stated is left out.
  public var json: JSONValue {
    .members([
      ("price", .integer(price)),
      ("quantity", .integer(quantity)),
    ])
  }
}
