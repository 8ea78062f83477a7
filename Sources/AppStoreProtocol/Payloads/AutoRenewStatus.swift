/// Whether a subscription will renew.
public enum AutoRenewStatus: Int64, CaseIterable, Sendable {
  /// It will not.
  case off = 0
  /// It will.
  case on = 1
}
