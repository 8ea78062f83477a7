import AppStoreProtocol

/// The environment of an account's App Store, in Apple's term. Every payload signed for the account contains it (rule
/// AS-KEY-5).
///
/// A server that trusts this simulator by configuration treats everything that it signs as simulated, in either
/// environment.
package enum SimulatedEnvironment: String, CaseIterable, Sendable {
  /// Notifications are retried until the server accepts them.
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
