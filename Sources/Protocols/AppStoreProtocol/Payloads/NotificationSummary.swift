package import StrictJSON

/// The result of a mass extension of renewal dates.
package struct NotificationSummary: Hashable, Sendable, PayloadPart {
  package var environment: KnownOrRaw<AppStoreEnvironment>?
  package var appAppleId: Int64?
  package var bundleId: String?
  package var productId: String?
  package var requestIdentifier: String?
  package var storefrontCountryCodes: [String]?
  package var succeededCount: Int64?
  package var failedCount: Int64?

  package init() {}
}

extension NotificationSummary {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    environment = try fields.listed("environment")
    appAppleId = try fields.integer("appAppleId")
    bundleId = try fields.text("bundleId")
    productId = try fields.text("productId")
    requestIdentifier = try fields.text("requestIdentifier")
    storefrontCountryCodes = try fields.texts("storefrontCountryCodes")
    succeededCount = try fields.integer("succeededCount")
    failedCount = try fields.integer("failedCount")
  }

  /// The value as a JSON object; absent fields are left out.
  package var json: JSONValue {
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
