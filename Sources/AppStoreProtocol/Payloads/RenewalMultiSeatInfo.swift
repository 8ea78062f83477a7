public import StrictJSON

/// The seats that a group purchase will renew with (1.23).
public struct RenewalMultiSeatInfo: Hashable, Sendable, PayloadPart {
  /// Who invites the members.
  public var invitationManagement: KnownOrRaw<InvitationManagement>?
  /// What the seats will cost.
  public var renewalPriceTiers: [SeatPriceTier]?

  /// Nothing stated.
  public init() {}
}

extension RenewalMultiSeatInfo {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    invitationManagement = try fields.listed("invitationManagement")
    renewalPriceTiers = try fields.objects("renewalPriceTiers")
  }

  /// The same as JSON; what is not stated is left out.
  public var json: JSONValue {
    .members([
      ("invitationManagement", .listed(invitationManagement)),
      ("renewalPriceTiers", .objects(renewalPriceTiers)),
    ])
  }
}
