package enum Status: Int64, CaseIterable, Sendable {
  case active = 1
  case expired = 2
  case billingRetry = 3
  /// In billing retry, and the customer keeps access during the grace period.
  case billingGracePeriod = 4
  case revoked = 5
}
