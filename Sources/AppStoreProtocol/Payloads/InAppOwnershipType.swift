/// Whether the customer bought it or has it from his family or group.
public enum InAppOwnershipType: String, CaseIterable, Sendable {
  /// Bought by this customer.
  case purchased = "PURCHASED"
  /// Shared by a member of his family.
  case familyShared = "FAMILY_SHARED"
  /// A seat of a group purchase (1.23).
  case assigned = "ASSIGNED"
}
