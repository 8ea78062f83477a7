public import StrictJSON

/// What most notifications carry.
public struct NotificationData: Hashable, Sendable, PayloadPart {
  /// Which App Store.
  public var environment: KnownOrRaw<AppStoreEnvironment>?
  /// The app's number; absent in the sandbox.
  public var appAppleId: Int64?
  /// The app.
  public var bundleId: String?
  /// The build that bought it.
  public var bundleVersion: String?
  /// The transaction, signed on its own.
  public var signedTransactionInfo: String?
  /// What will become of the subscription, signed on its own.
  public var signedRenewalInfo: String?
  /// The state of the subscription.
  public var status: KnownOrRaw<Status>?
  /// Why the customer asks for a refund.
  public var consumptionRequestReason: KnownOrRaw<ConsumptionRequestReason>?

  /// Nothing stated.
  public init() {}
}

extension NotificationData {
  /// Reads what an object states; members that this version does not know are passed over.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    environment = try fields.listed("environment")
    appAppleId = try fields.integer("appAppleId")
    bundleId = try fields.text("bundleId")
    bundleVersion = try fields.text("bundleVersion")
    signedTransactionInfo = try fields.text("signedTransactionInfo")
    signedRenewalInfo = try fields.text("signedRenewalInfo")
    status = try fields.listed("status")
    consumptionRequestReason = try fields.listed("consumptionRequestReason")
  }

  /// The same as JSON; what is not stated is left out.
  public var json: JSONValue {
    .members([
      ("environment", .listed(environment)),
      ("appAppleId", .integer(appAppleId)),
      ("bundleId", .text(bundleId)),
      ("bundleVersion", .text(bundleVersion)),
      ("signedTransactionInfo", .text(signedTransactionInfo)),
      ("signedRenewalInfo", .text(signedRenewalInfo)),
      ("status", .listed(status)),
      ("consumptionRequestReason", .listed(consumptionRequestReason)),
    ])
  }
}
