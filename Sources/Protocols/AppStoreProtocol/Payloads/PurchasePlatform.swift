/// The platform on which an app was first bought.
package enum PurchasePlatform: String, CaseIterable, Sendable {
  case iOS = "iOS"
  case macOS = "macOS"
  case tvOS = "tvOS"
  case visionOS = "visionOS"
}
