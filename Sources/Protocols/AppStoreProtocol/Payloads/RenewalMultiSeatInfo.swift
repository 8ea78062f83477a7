package import StrictJSON

/// The seats of a group purchase at its renewal (1.23).
package struct RenewalMultiSeatInfo: Hashable, Sendable, PayloadPart {
  package var invitationManagement: KnownOrRaw<InvitationManagement>?
  package var renewalPriceTiers: [SeatPriceTier]?

  package init() {}
}

extension RenewalMultiSeatInfo {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    invitationManagement = try fields.listed("invitationManagement")
    renewalPriceTiers = try fields.objects("renewalPriceTiers")
  }

  /// The value as a JSON object; absent fields are left out.
  package var json: JSONValue {
    .members([
      ("invitationManagement", .listed(invitationManagement)),
      ("renewalPriceTiers", .objects(renewalPriceTiers)),
    ])
  }
}
