/// Which App Store signed something, in Apple's words: `environment`, `receiptType`.
public enum AppStoreEnvironment: String, CaseIterable, Sendable {
  /// Real money.
  case production = "Production"
  /// TestFlight, App Review, sandbox accounts.
  case sandbox = "Sandbox"
  /// StoreKit testing in Xcode; not signed by Apple.
  case xcode = "Xcode"
  /// Apple's own unit tests; not signed by Apple.
  case localTesting = "LocalTesting"
}
