package import StrictJSON

/// An app on sale here, as App Store Connect lists it.
package struct SimulatedApp: Hashable, Sendable {
  /// The bundle id: 1 to 155 letters, digits, points and hyphens.
  package var bundleId: String
  package var appAppleId: Int64
  /// The notification URL, http or https; nil when the app wants no notifications.
  package var notificationURL: String?
  /// The version in app transactions that customers have.
  package var version: String
  /// The build that customers have: `bundleVersion` of notifications.
  package var build: String

  /// How many days a subscriber keeps access after a failed renewal charge: 0, 3, 16 or 28 (rule AS-BILL-2).
  package var gracePeriodDays = 0

  /// The lengths that App Store Connect offers.
  static let gracePeriodLengths: Set<Int64> = [0, 3, 16, 28]

  /// An app in its first version.
  package init(bundleId: String, appAppleId: Int64, notificationURL: String? = nil) {
    self.bundleId = bundleId
    self.appAppleId = appAppleId
    self.notificationURL = notificationURL
    self.version = "1.0"
    self.build = "1"
  }
}

extension SimulatedApp {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    bundleId = try fields.converted("bundleId", "a bundle id", Names.bundleId)
    appAppleId = try fields.integer("appAppleId", in: 1...Int64(1 << 53))
    notificationURL = try fields.optionallyConverted(
      "notificationUrl", "an http or https URL of at most 2048 bytes", Names.url)
    version = try fields.optionalString("version", bytesMax: 64) ?? "1.0"
    build = try fields.optionalString("build", bytesMax: 64) ?? "1"
    let days = try fields.optionalInteger("gracePeriodDays") ?? 0
    guard Self.gracePeriodLengths.contains(days) else {
      throw JSONFieldError(path: "gracePeriodDays", expected: "0, 3, 16 or 28")
    }
    gracePeriodDays = Int(days)
  }

  /// The app as the log and the control API write it.
  package var json: JSONValue {
    .members([
      ("bundleId", .string(bundleId)), ("appAppleId", .integer(appAppleId)),
      ("notificationUrl", notificationURL.map(JSONValue.string)),
      ("version", .string(version)), ("build", .string(build)),
      ("gracePeriodDays", gracePeriodDays == 0 ? nil : .integer(gracePeriodDays)),
    ])
  }
}
