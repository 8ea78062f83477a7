public import StrictJSON

/// Seats of a group purchase that were given up (2.23).
public struct UnclaimInfo: Hashable, Sendable, PayloadPart {
  /// Which App Store.
  public var environment: KnownOrRaw<AppStoreEnvironment>?
  /// The app's number.
  public var appAppleId: Int64?
  /// The app.
  public var bundleId: String?
  /// The seats.
  public var unclaimSeatIds: [String]?

  /// Nothing stated.
  public init() {}
}

extension UnclaimInfo {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    environment = try fields.listed("environment")
    appAppleId = try fields.integer("appAppleId")
    bundleId = try fields.text("bundleId")
    unclaimSeatIds = try fields.texts("unclaimSeatIds")
  }

  /// The same as JSON; what is not stated is left out.
  public var json: JSONValue {
    .members([
      ("environment", .listed(environment)),
      ("appAppleId", .integer(appAppleId)),
      ("bundleId", .text(bundleId)),
      ("unclaimSeatIds", .texts(unclaimSeatIds)),
    ])
  }
}
