package import StrictJSON

/// The answer to Get All Subscription Statuses.
package struct StatusResponse: PayloadPart {
  package var environment: KnownOrRaw<AppStoreEnvironment>?
  package var bundleId: String?
  /// The app's number; absent in the sandbox.
  package var appAppleId: Int64?
  /// One entry for each group of subscriptions.
  package var data: [SubscriptionGroupIdentifierItem]

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    environment = try fields.listed("environment")
    bundleId = try fields.text("bundleId")
    appAppleId = try fields.integer("appAppleId")
    data = try fields.stated("data", fields.objects("data"))
  }

  /// What it states, as Apple writes it.
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
  /// The latest transaction of each line.
  package var lastTransactions: [LastTransactionsItem]

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    subscriptionGroupIdentifier = try fields.text("subscriptionGroupIdentifier")
    lastTransactions = try fields.stated("lastTransactions", fields.objects("lastTransactions"))
  }

  /// What it states, as Apple writes it.
  package var json: JSONValue {
    .members([
      ("subscriptionGroupIdentifier", .text(subscriptionGroupIdentifier)),
      ("lastTransactions", .objects(lastTransactions)),
    ])
  }
}

/// The latest transaction of a subscription's line, and its state.
package struct LastTransactionsItem: PayloadPart {
  package var status: KnownOrRaw<Status>?
  package var originalTransactionId: String?
  package var signedTransactionInfo: String?
  /// What will become of it, signed.
  package var signedRenewalInfo: String?

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    status = try fields.listed("status")
    originalTransactionId = try fields.text("originalTransactionId")
    signedTransactionInfo = try fields.text("signedTransactionInfo")
    signedRenewalInfo = try fields.text("signedRenewalInfo")
  }

  /// What it states, as Apple writes it.
  package var json: JSONValue {
    .members([
      ("status", .listed(status)), ("originalTransactionId", .text(originalTransactionId)),
      ("signedTransactionInfo", .text(signedTransactionInfo)), ("signedRenewalInfo", .text(signedRenewalInfo)),
    ])
  }
}
