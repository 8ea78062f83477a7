package import StrictJSON

package struct NotificationData: Hashable, Sendable, PayloadPart {
  package var environment: KnownOrRaw<AppStoreEnvironment>?
  /// Apple's number of the app; absent in the sandbox.
  package var appAppleId: Int64?
  package var bundleId: String?
  package var bundleVersion: String?
  /// The transaction, with its own signature.
  package var signedTransactionInfo: String?
  /// The renewal information of the subscription, with its own signature.
  package var signedRenewalInfo: String?
  package var status: KnownOrRaw<Status>?
  /// The customer's reason for the refund request.
  package var consumptionRequestReason: KnownOrRaw<ConsumptionRequestReason>?

  package init() {}
}

extension NotificationData {
  /// Reads a JSON object; unknown members are ignored.
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

  /// The value as a JSON object; absent fields are left out.
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
