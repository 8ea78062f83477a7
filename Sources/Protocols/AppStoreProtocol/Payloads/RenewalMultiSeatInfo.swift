package import StrictJSON

/// The seats that a group purchase will renew with (1.23).
package struct RenewalMultiSeatInfo: Hashable, Sendable, PayloadPart {
  package var invitationManagement: KnownOrRaw<InvitationManagement>?
  package var renewalPriceTiers: [SeatPriceTier]?

  package init() {}
}

extension RenewalMultiSeatInfo {
  /// Reads what an object states; members that this version does not know are passed over.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    invitationManagement = try fields.listed("invitationManagement")
    renewalPriceTiers = try fields.objects("renewalPriceTiers")
  }

  /// The same as JSON; what is not stated is left out.
  package var json: JSONValue {
    .members([
      ("invitationManagement", .listed(invitationManagement)),
      ("renewalPriceTiers", .objects(renewalPriceTiers)),
    ])
  }
}
