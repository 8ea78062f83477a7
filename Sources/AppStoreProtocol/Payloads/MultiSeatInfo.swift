public import StrictJSON

/// The seats of a group purchase (1.23). `price` of the transaction is their average.
public struct MultiSeatInfo: Hashable, Sendable, PayloadPart {
  /// Who invites the members.
  public var invitationManagement: KnownOrRaw<InvitationManagement>?
  /// What the seats cost.
  public var priceTiers: [SeatPriceTier]?
  /// How many seats were taken back.
  public var revokedSeatQuantity: Int64?

  /// Nothing stated.
  public init() {}
}

extension MultiSeatInfo {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    invitationManagement = try fields.listed("invitationManagement")
    priceTiers = try fields.objects("priceTiers")
    revokedSeatQuantity = try fields.integer("revokedSeatQuantity")
  }

  /// The same as JSON; what is not stated is left out.
  public var json: JSONValue {
    .members([
      ("invitationManagement", .listed(invitationManagement)),
      ("priceTiers", .objects(priceTiers)),
      ("revokedSeatQuantity", .integer(revokedSeatQuantity)),
    ])
  }
}
