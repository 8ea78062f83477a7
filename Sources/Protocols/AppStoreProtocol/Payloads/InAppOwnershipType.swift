/// Whether the customer bought the product or received it through a family or group.
package enum InAppOwnershipType: String, CaseIterable, Sendable {
  case purchased = "PURCHASED"
  /// A family member shares the purchase.
  case familyShared = "FAMILY_SHARED"
  /// The customer has a seat of a group purchase (1.23).
  case assigned = "ASSIGNED"
}
