/// The App Store environment of signed data, in Apple's words: `environment`, `receiptType`.
package enum AppStoreEnvironment: String, CaseIterable, Sendable {
  case production = "Production"
  case sandbox = "Sandbox"
  /// StoreKit testing in Xcode; not signed by Apple.
  case xcode = "Xcode"
  /// Apple's own unit tests; not signed by Apple.
  case localTesting = "LocalTesting"
}
