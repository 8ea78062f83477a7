package import StrictJSON

/// The answer to Get All Subscription Statuses.
package struct StatusResponse: PayloadPart {
  package var environment: KnownOrRaw<AppStoreEnvironment>?
  package var bundleId: String?
  /// Apple's number of the app; absent in the sandbox.
  package var appAppleId: Int64?
  /// One entry for each subscription group.
  package var data: [SubscriptionGroupIdentifierItem]

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    environment = try fields.listed("environment")
    bundleId = try fields.text("bundleId")
    appAppleId = try fields.integer("appAppleId")
    data = try fields.stated("data", fields.objects("data"))
  }

  /// The value as JSON, in the form that Apple sends.
  package var json: JSONValue {
    .members([
      ("environment", .listed(environment)), ("bundleId", .text(bundleId)), ("appAppleId", .integer(appAppleId)),
      ("data", .objects(data)),
    ])
  }
}

/// A customer's subscriptions of one group.
package struct SubscriptionGroupIdentifierItem: PayloadPart {
  package var subscriptionGroupIdentifier: String?
  /// The latest transaction of each subscription.
  package var lastTransactions: [LastTransactionsItem]

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    subscriptionGroupIdentifier = try fields.text("subscriptionGroupIdentifier")
    lastTransactions = try fields.stated("lastTransactions", fields.objects("lastTransactions"))
  }

  /// The value as JSON, in the form that Apple sends.
  package var json: JSONValue {
    .members([
      ("subscriptionGroupIdentifier", .text(subscriptionGroupIdentifier)),
      ("lastTransactions", .objects(lastTransactions)),
    ])
  }
}

/// The latest transaction of a subscription, and the subscription's state.
package struct LastTransactionsItem: PayloadPart {
  package var status: KnownOrRaw<Status>?
  package var originalTransactionId: String?
  package var signedTransactionInfo: String?
  /// The signed renewal information.
  package var signedRenewalInfo: String?

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    status = try fields.listed("status")
    originalTransactionId = try fields.text("originalTransactionId")
    signedTransactionInfo = try fields.text("signedTransactionInfo")
    signedRenewalInfo = try fields.text("signedRenewalInfo")
  }

  /// The value as JSON, in the form that Apple sends.
  package var json: JSONValue {
    .members([
      ("status", .listed(status)), ("originalTransactionId", .text(originalTransactionId)),
      ("signedTransactionInfo", .text(signedTransactionInfo)), ("signedRenewalInfo", .text(signedRenewalInfo)),
    ])
  }
}
