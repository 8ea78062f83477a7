import AppStoreProtocol

/// Which App Store an account buys at, in Apple's word. It stands in everything that is signed for that account (rule
/// AS-KEY-5).
///
/// Whatever it says, a server that trusts this simulator by configuration takes what it signs for simulated.
package enum SimulatedEnvironment: String, CaseIterable, Sendable {
  /// Notifications are repeated until they are taken.
  case production = "Production"
  /// Notifications are sent once, and subscription periods last minutes.
  case sandbox = "Sandbox"

  var word: AppStoreEnvironment {
    switch self {
    case .production: .production
    case .sandbox: .sandbox
    }
  }
}
