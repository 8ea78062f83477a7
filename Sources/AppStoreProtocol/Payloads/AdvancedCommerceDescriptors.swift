public import StrictJSON

/// What a customer reads of an Advanced Commerce purchase.
public struct AdvancedCommerceDescriptors: Hashable, Sendable, PayloadPart {
  /// The description.
  public var description: String?
  /// The name.
  public var displayName: String?

  /// Nothing stated.
  public init() {}
}

extension AdvancedCommerceDescriptors {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    description = try fields.text("description")
    displayName = try fields.text("displayName")
  }

  /// The same as JSON; what is not stated is left out.
  public var json: JSONValue {
    .members([
      ("description", .text(description)),
      ("displayName", .text(displayName)),
    ])
  }
}
