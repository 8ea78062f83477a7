import PaymentPrimitives

/// How the console is served.
package struct ConsoleSettings: Sendable {
  /// Where browsers reach it: `https://console.example.com`, without a path. Forms from other origins are refused.
  package let origin: String
  /// Whether the database is a simulated one. Every page then says so, and a link alone signs in.
  package let isSimulated: Bool
  /// The version at the foot of each page.
  package let version: String

  package init(origin: String, isSimulated: Bool, version: String) {
    self.origin = origin
    self.isSimulated = isSimulated
    self.version = version
  }

  /// Whether browsers come over TLS, and may remember that.
  var isSecure: Bool { origin.hasPrefix("https://") }

  /// The prefix binds a cookie to this very host, and demands TLS. Browsers treat `localhost` as if it had TLS.
  static let sessionCookie = "__Host-counterfoil"
  static let languageCookie = "__Host-counterfoil-language"
}
