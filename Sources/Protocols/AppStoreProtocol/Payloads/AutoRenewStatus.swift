package enum AutoRenewStatus: Int64, CaseIterable, Sendable {
  case off = 0
  case on = 1
}
