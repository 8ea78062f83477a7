public import StrictJSON

/// An offer on an Advanced Commerce item.
public struct AdvancedCommerceOffer: Hashable, Sendable, PayloadPart {
  /// How long a period is.
  public var period: KnownOrRaw<AdvancedCommerceOfferPeriod>?
  /// How many periods it lasts.
  public var periodCount: Int64?
  /// The price in milliunits of the currency.
  public var price: Int64?
  /// Why it was made.
  public var reason: KnownOrRaw<AdvancedCommerceOfferReason>?

  /// Nothing stated.
  public init() {}
}

extension AdvancedCommerceOffer {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    period = try fields.listed("period")
    periodCount = try fields.integer("periodCount")
    price = try fields.integer("price")
    reason = try fields.listed("reason")
  }

  /// The same as JSON; what is not stated is left out.
  public var json: JSONValue {
    .members([
      ("period", .listed(period)),
      ("periodCount", .integer(periodCount)),
      ("price", .integer(price)),
      ("reason", .listed(reason)),
    ])
  }
}
