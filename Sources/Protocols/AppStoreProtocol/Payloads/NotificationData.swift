package import StrictJSON

package struct NotificationData: Hashable, Sendable, PayloadPart {
  package var environment: KnownOrRaw<AppStoreEnvironment>?
  /// The app's number; absent in the sandbox.
  package var appAppleId: Int64?
  package var bundleId: String?
  package var bundleVersion: String?
  /// The transaction, signed on its own.
  package var signedTransactionInfo: String?
  /// What will become of the subscription, signed on its own.
  package var signedRenewalInfo: String?
  package var status: KnownOrRaw<Status>?
  /// Why the customer asks for a refund.
  package var consumptionRequestReason: KnownOrRaw<ConsumptionRequestReason>?

  package init() {}
}

extension NotificationData {
  /// Reads what an object states; members that this version does not know are passed over.
  package init(_ fields: PayloadFields) throws(PayloadProblem) {
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
  package var json: JSONValue {
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
