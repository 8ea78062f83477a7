public import StrictJSON

/// What notifications on the app itself carry.
public struct AppData: Hashable, Sendable, PayloadPart {
  /// The app's number.
  public var appAppleId: Int64?
  /// The app.
  public var bundleId: String?
  /// Which App Store.
  public var environment: KnownOrRaw<AppStoreEnvironment>?
  /// The app transaction, signed on its own.
  public var signedAppTransactionInfo: String?

  /// Nothing stated.
  public init() {}
}

extension AppData {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    appAppleId = try fields.integer("appAppleId")
    bundleId = try fields.text("bundleId")
    environment = try fields.listed("environment")
    signedAppTransactionInfo = try fields.text("signedAppTransactionInfo")
  }

  /// The same as JSON; what is not stated is left out.
  public var json: JSONValue {
    .members([
      ("appAppleId", .integer(appAppleId)),
      ("bundleId", .text(bundleId)),
      ("environment", .listed(environment)),
      ("signedAppTransactionInfo", .text(signedAppTransactionInfo)),
    ])
  }
}
