/// What purchases a token is for.
public enum ExternalPurchaseTokenType: String, CaseIterable, Sendable {
  /// Services.
  case services = "SERVICES"
  /// Acquisition.
  case acquisition = "ACQUISITION"
  /// Inside the app.
  case inApp = "IN_APP"
  /// Outside the app.
  case linkOut = "LINK_OUT"
}
