public import StrictJSON

/// The result of putting off many renewal dates.
public struct NotificationSummary: Hashable, Sendable, PayloadPart {
  /// Which App Store.
  public var environment: KnownOrRaw<AppStoreEnvironment>?
  /// The app's number.
  public var appAppleId: Int64?
  /// The app.
  public var bundleId: String?
  /// The product.
  public var productId: String?
  /// Our id of the request.
  public var requestIdentifier: String?
  /// The countries.
  public var storefrontCountryCodes: [String]?
  /// How many were put off.
  public var succeededCount: Int64?
  /// How many could not be.
  public var failedCount: Int64?

  /// Nothing stated.
  public init() {}
}

extension NotificationSummary {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    environment = try fields.listed("environment")
    appAppleId = try fields.integer("appAppleId")
    bundleId = try fields.text("bundleId")
    productId = try fields.text("productId")
    requestIdentifier = try fields.text("requestIdentifier")
    storefrontCountryCodes = try fields.texts("storefrontCountryCodes")
    succeededCount = try fields.integer("succeededCount")
    failedCount = try fields.integer("failedCount")
  }

  /// The same as JSON; what is not stated is left out.
  public var json: JSONValue {
    .members([
      ("environment", .listed(environment)),
      ("appAppleId", .integer(appAppleId)),
      ("bundleId", .text(bundleId)),
      ("productId", .text(productId)),
      ("requestIdentifier", .text(requestIdentifier)),
      ("storefrontCountryCodes", .texts(storefrontCountryCodes)),
      ("succeededCount", .integer(succeededCount)),
      ("failedCount", .integer(failedCount)),
    ])
  }
}
