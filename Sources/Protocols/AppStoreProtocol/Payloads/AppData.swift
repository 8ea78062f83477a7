package import StrictJSON

/// The content of a notification about the app itself.
package struct AppData: Hashable, Sendable, PayloadPart {
  package var appAppleId: Int64?
  package var bundleId: String?
  package var environment: KnownOrRaw<AppStoreEnvironment>?
  /// The app transaction, with its own signature.
  package var signedAppTransactionInfo: String?

  package init() {}
}

extension AppData {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    appAppleId = try fields.integer("appAppleId")
    bundleId = try fields.text("bundleId")
    environment = try fields.listed("environment")
    signedAppTransactionInfo = try fields.text("signedAppTransactionInfo")
  }

  /// The value as a JSON object; absent fields are left out.
  package var json: JSONValue {
    .members([
      ("appAppleId", .integer(appAppleId)),
      ("bundleId", .text(bundleId)),
      ("environment", .listed(environment)),
      ("signedAppTransactionInfo", .text(signedAppTransactionInfo)),
    ])
  }
}
