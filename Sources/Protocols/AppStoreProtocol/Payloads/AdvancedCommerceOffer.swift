package import StrictJSON

/// An offer on an Advanced Commerce item.
package struct AdvancedCommerceOffer: Hashable, Sendable, PayloadPart {
  package var period: KnownOrRaw<AdvancedCommerceOfferPeriod>?
  package var periodCount: Int64?
  /// The price in milliunits of the currency.
  package var price: Int64?
  package var reason: KnownOrRaw<AdvancedCommerceOfferReason>?

  package init() {}
}

extension AdvancedCommerceOffer {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    period = try fields.listed("period")
    periodCount = try fields.integer("periodCount")
    price = try fields.integer("price")
    reason = try fields.listed("reason")
  }

  /// The value as a JSON object; absent fields are left out.
  package var json: JSONValue {
    .members([
      ("period", .listed(period)),
      ("periodCount", .integer(periodCount)),
      ("price", .integer(price)),
      ("reason", .listed(reason)),
    ])
  }
}
