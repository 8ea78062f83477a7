package import PaymentPrimitives
package import StrictJSON

/// One item of an Advanced Commerce transaction.
package struct AdvancedCommerceTransactionItem: Hashable, Sendable, PayloadPart {
  package var SKU: String?
  package var description: String?
  package var displayName: String?
  /// The offer that applied to the purchase.
  package var offer: AdvancedCommerceOffer?
  /// The price in milliunits of the currency.
  package var price: Int64?
  package var refunds: [AdvancedCommerceRefund]?
  package var revocationDate: Timestamp?

  package init() {}
}

extension AdvancedCommerceTransactionItem {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    SKU = try fields.text("SKU")
    description = try fields.text("description")
    displayName = try fields.text("displayName")
    offer = try fields.object("offer")
    price = try fields.integer("price")
    refunds = try fields.objects("refunds")
    revocationDate = try fields.date("revocationDate")
  }

  /// The value as a JSON object; absent fields are left out.
  package var json: JSONValue {
    .members([
      ("SKU", .text(SKU)),
      ("description", .text(description)),
      ("displayName", .text(displayName)),
      ("offer", .object(offer)),
      ("price", .integer(price)),
      ("refunds", .objects(refunds)),
      ("revocationDate", .date(revocationDate)),
    ])
  }
}
