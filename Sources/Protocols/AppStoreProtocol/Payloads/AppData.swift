package import StrictJSON

/// What notifications on the app itself carry.
package struct AppData: Hashable, Sendable, PayloadPart {
  package var appAppleId: Int64?
  package var bundleId: String?
  package var environment: KnownOrRaw<AppStoreEnvironment>?
  /// The app transaction, signed on its own.
  package var signedAppTransactionInfo: String?

  package init() {}
}

extension AppData {
  /// Reads what an object states; members that this version does not know are passed over.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    appAppleId = try fields.integer("appAppleId")
    bundleId = try fields.text("bundleId")
    environment = try fields.listed("environment")
    signedAppTransactionInfo = try fields.text("signedAppTransactionInfo")
  }

  /// The same as JSON; what is not stated is left out.
  package var json: JSONValue {
    .members([
      ("appAppleId", .integer(appAppleId)),
      ("bundleId", .text(bundleId)),
      ("environment", .listed(environment)),
      ("signedAppTransactionInfo", .text(signedAppTransactionInfo)),
    ])
  }
}
