public import StrictJSON

/// What a subscription of the Advanced Commerce API states beside the rest.
public struct AdvancedCommerceRenewalInfo: Hashable, Sendable, PayloadPart {
  /// The token that the next change must carry.
  public var consistencyToken: String?
  /// What the customer reads.
  public var descriptors: AdvancedCommerceDescriptors?
  /// The items that will renew.
  public var items: [AdvancedCommerceRenewalItem]?
  /// How long a period is.
  public var period: KnownOrRaw<AdvancedCommercePeriod>?
  /// The developer's id of the request.
  public var requestReferenceId: String?
  /// The tax code.
  public var taxCode: String?

  /// Nothing stated.
  public init() {}
}

extension AdvancedCommerceRenewalInfo {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    consistencyToken = try fields.text("consistencyToken")
    descriptors = try fields.object("descriptors")
    items = try fields.objects("items")
    period = try fields.listed("period")
    requestReferenceId = try fields.text("requestReferenceId")
    taxCode = try fields.text("taxCode")
  }

  /// The same as JSON; what is not stated is left out.
  public var json: JSONValue {
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
