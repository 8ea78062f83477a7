import PaymentPrimitives
package import PaymentServer

/// What needs a second operator.
package struct ApprovalRules: Hashable, Sendable {
  /// What one operator may refund of one payment, in fen.
  package let refundMinorUnits: Int64

  package init(refundMinorUnits: Int64) { self.refundMinorUnits = refundMinorUnits }
}

/// How the console is served.
package struct ConsoleSettings: Sendable {
  /// Where browsers reach it: `https://console.example.com`, without a path. Forms from other origins are refused.
  package let origin: String
  /// Whether the database is a simulated one. Every page then says so, and a link alone signs in.
  package let isSimulated: Bool
  /// The version at the foot of each page.
  package let version: String

  /// Nil: nobody needs a second operator.
  package let approvals: ApprovalRules?
  /// How operators of an identity provider sign in; nil if none is configured.
  package var identity: IdentityVerification?
  /// The most rows of a list as a file. Tests have fewer.
  package var fileRowsMax = CSVTable.rowsMax

  package init(origin: String, isSimulated: Bool, version: String, approvals: ApprovalRules?) {
    self.origin = origin
    self.isSimulated = isSimulated
    self.version = version
    self.approvals = approvals
  }

  /// Whether browsers come over TLS, and may remember that.
  var isSecure: Bool { origin.hasPrefix("https://") }

  /// The prefix binds a cookie to this very host, and demands TLS. Browsers treat `localhost` as if it had TLS.
  static let sessionCookie = "__Host-counterfoil"
  static let languageCookie = "__Host-counterfoil-language"
  /// Names a browser that signs in: with the link that it has shown, or with nothing yet.
  static let entryCookie = "__Host-counterfoil-entry"

  /// Whether a link needs a second factor beside it.
  var needsFactor: Bool { !isSimulated }
}
