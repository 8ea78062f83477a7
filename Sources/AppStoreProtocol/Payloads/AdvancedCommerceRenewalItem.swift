public import StrictJSON

/// One item of an Advanced Commerce subscription that will renew.
public struct AdvancedCommerceRenewalItem: Hashable, Sendable, PayloadPart {
  /// The developer's own product id.
  public var SKU: String?
  /// The description.
  public var description: String?
  /// The name.
  public var displayName: String?
  /// The offer that it will renew with.
  public var offer: AdvancedCommerceOffer?
  /// The price in milliunits of the currency.
  public var price: Int64?
  /// A higher price that is to come.
  public var priceIncreaseInfo: AdvancedCommercePriceIncreaseInfo?

  /// Nothing stated.
  public init() {}
}

extension AdvancedCommerceRenewalItem {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    SKU = try fields.text("SKU")
    description = try fields.text("description")
    displayName = try fields.text("displayName")
    offer = try fields.object("offer")
    price = try fields.integer("price")
    priceIncreaseInfo = try fields.object("priceIncreaseInfo")
  }

  /// The same as JSON; what is not stated is left out.
  public var json: JSONValue {
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
