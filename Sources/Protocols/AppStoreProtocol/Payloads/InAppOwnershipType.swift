/// Whether the customer bought it or has it from his family or group.
package enum InAppOwnershipType: String, CaseIterable, Sendable {
  case purchased = "PURCHASED"
  /// Shared by a member of his family.
  case familyShared = "FAMILY_SHARED"
  /// A seat of a group purchase (1.23).
  case assigned = "ASSIGNED"
}
