package import StrictJSON

/// Additional renewal fields of a subscription of the Advanced Commerce API.
package struct AdvancedCommerceRenewalInfo: Hashable, Sendable, PayloadPart {
  /// The token that the next change request must carry.
  package var consistencyToken: String?
  package var descriptors: AdvancedCommerceDescriptors?
  package var items: [AdvancedCommerceRenewalItem]?
  package var period: KnownOrRaw<AdvancedCommercePeriod>?
  /// The developer's id of the request.
  package var requestReferenceId: String?
  package var taxCode: String?

  package init() {}
}

extension AdvancedCommerceRenewalInfo {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    consistencyToken = try fields.text("consistencyToken")
    descriptors = try fields.object("descriptors")
    items = try fields.objects("items")
    period = try fields.listed("period")
    requestReferenceId = try fields.text("requestReferenceId")
    taxCode = try fields.text("taxCode")
  }

  /// The value as a JSON object; absent fields are left out.
  package var json: JSONValue {
    .members([
      ("consistencyToken", .text(consistencyToken)),
      ("descriptors", .object(descriptors)),
      ("items", .objects(items)),
      ("period", .listed(period)),
      ("requestReferenceId", .text(requestReferenceId)),
      ("taxCode", .text(taxCode)),
    ])
  }
}
