package import StrictJSON

/// Seats of a group purchase that were given up (2.23).
package struct UnclaimInfo: Hashable, Sendable, PayloadPart {
  package var environment: KnownOrRaw<AppStoreEnvironment>?
  package var appAppleId: Int64?
  package var bundleId: String?
  package var unclaimSeatIds: [String]?

  package init() {}
}

extension UnclaimInfo {
  /// Reads a JSON object; unknown members are ignored.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    environment = try fields.listed("environment")
    appAppleId = try fields.integer("appAppleId")
    bundleId = try fields.text("bundleId")
    unclaimSeatIds = try fields.texts("unclaimSeatIds")
  }

  /// The value as a JSON object; absent fields are left out.
  package var json: JSONValue {
    .members([
      ("environment", .listed(environment)),
      ("appAppleId", .integer(appAppleId)),
      ("bundleId", .text(bundleId)),
      ("unclaimSeatIds", .texts(unclaimSeatIds)),
    ])
  }
}
