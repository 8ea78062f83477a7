package import StrictJSON

/// The seats of a group purchase (1.23). `price` of the transaction is their average.
package struct MultiSeatInfo: Hashable, Sendable, PayloadPart {
  package var invitationManagement: KnownOrRaw<InvitationManagement>?
  package var priceTiers: [SeatPriceTier]?
  /// How many seats were taken back.
  package var revokedSeatQuantity: Int64?

  package init() {}
}

extension MultiSeatInfo {
  /// Reads what an object states; members that this version does not know are passed over.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    invitationManagement = try fields.listed("invitationManagement")
    priceTiers = try fields.objects("priceTiers")
    revokedSeatQuantity = try fields.integer("revokedSeatQuantity")
  }

  /// The same as JSON; what is not stated is left out.
  package var json: JSONValue {
    .members([
      ("invitationManagement", .listed(invitationManagement)),
      ("priceTiers", .objects(priceTiers)),
      ("revokedSeatQuantity", .integer(revokedSeatQuantity)),
    ])
  }
}
