package import StrictJSON

/// The texts about an Advanced Commerce purchase that the customer sees.
package struct AdvancedCommerceDescriptors: Hashable, Sendable, PayloadPart {
  package var description: String?
  package var displayName: String?

  package init() {}
}

extension AdvancedCommerceDescriptors {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    description = try fields.text("description")
    displayName = try fields.text("displayName")
  }

  /// The value as a JSON object; absent fields are left out.
  package var json: JSONValue {
    .members([
      ("description", .text(description)),
      ("displayName", .text(displayName)),
    ])
  }
}
