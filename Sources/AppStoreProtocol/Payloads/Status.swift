/// The state of a subscription.
public enum Status: Int64, CaseIterable, Sendable {
  /// Active.
  case active = 1
  /// Expired.
  case expired = 2
  /// Apple tries to charge again.
  case billingRetry = 3
  /// The same, and the customer keeps access meanwhile.
  case billingGracePeriod = 4
  /// Refunded or withdrawn.
  case revoked = 5
}
