package enum Status: Int64, CaseIterable, Sendable {
  case active = 1
  case expired = 2
  case billingRetry = 3
  /// The same, and the customer keeps access meanwhile.
  case billingGracePeriod = 4
  case revoked = 5
}
