/// On which platform an app was first bought.
public enum PurchasePlatform: String, CaseIterable, Sendable {
  /// iOS.
  case iOS = "iOS"
  /// macOS.
  case macOS = "macOS"
  /// tvOS.
  case tvOS = "tvOS"
  /// visionOS.
  case visionOS = "visionOS"
}
