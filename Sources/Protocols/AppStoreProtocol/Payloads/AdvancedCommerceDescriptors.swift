package import StrictJSON

/// What a customer reads of an Advanced Commerce purchase.
package struct AdvancedCommerceDescriptors: Hashable, Sendable, PayloadPart {
  package var description: String?
  package var displayName: String?

  package init() {}
}

extension AdvancedCommerceDescriptors {
  /// Reads what an object states; members that this version does not know are passed over.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    description = try fields.text("description")
    displayName = try fields.text("displayName")
  }

  /// The same as JSON; what is not stated is left out.
  package var json: JSONValue {
    .members([
      ("description", .text(description)),
      ("displayName", .text(displayName)),
    ])
  }
}
