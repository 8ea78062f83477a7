package import StrictJSON

/// The seats of a group purchase (1.23). The transaction's `price` is the average of their prices.
package struct MultiSeatInfo: Hashable, Sendable, PayloadPart {
  package var invitationManagement: KnownOrRaw<InvitationManagement>?
  package var priceTiers: [SeatPriceTier]?
  /// The number of revoked seats.
  package var revokedSeatQuantity: Int64?

  package init() {}
}

extension MultiSeatInfo {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    invitationManagement = try fields.listed("invitationManagement")
    priceTiers = try fields.objects("priceTiers")
    revokedSeatQuantity = try fields.integer("revokedSeatQuantity")
  }

  /// The value as a JSON object; absent fields are left out.
  package var json: JSONValue {
    .members([
      ("invitationManagement", .listed(invitationManagement)),
      ("priceTiers", .objects(priceTiers)),
      ("revokedSeatQuantity", .integer(revokedSeatQuantity)),
    ])
  }
}
