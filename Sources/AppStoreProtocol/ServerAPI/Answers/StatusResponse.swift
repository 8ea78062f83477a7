public import StrictJSON

/// The answer to Get All Subscription Statuses.
public struct StatusResponse: PayloadPart {
  /// Which App Store.
  public var environment: KnownOrRaw<AppStoreEnvironment>?
  /// The app.
  public var bundleId: String?
  /// The app's number; absent in the sandbox.
  public var appAppleId: Int64?
  /// One entry for each group of subscriptions.
  public var data: [SubscriptionGroupIdentifierItem]

  /// Reads what an object states.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    environment = try fields.listed("environment")
    bundleId = try fields.text("bundleId")
    appAppleId = try fields.integer("appAppleId")
    data = try fields.stated("data", fields.objects("data"))
  }

  /// What it states, as Apple writes it.
  public var json: JSONValue {
    .members([
      ("environment", .listed(environment)), ("bundleId", .text(bundleId)), ("appAppleId", .integer(appAppleId)),
      ("data", .objects(data)),
    ])
  }
}

/// A customer's subscriptions of one group.
public struct SubscriptionGroupIdentifierItem: PayloadPart {
  /// The group.
  public var subscriptionGroupIdentifier: String?
  /// The latest transaction of each line.
  public var lastTransactions: [LastTransactionsItem]

  /// Reads what an object states.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    subscriptionGroupIdentifier = try fields.text("subscriptionGroupIdentifier")
    lastTransactions = try fields.stated("lastTransactions", fields.objects("lastTransactions"))
  }

  /// What it states, as Apple writes it.
  public var json: JSONValue {
    .members([
      ("subscriptionGroupIdentifier", .text(subscriptionGroupIdentifier)),
      ("lastTransactions", .objects(lastTransactions)),
    ])
  }
}

/// The latest transaction of a subscription's line, and its state.
public struct LastTransactionsItem: PayloadPart {
  /// The state.
  public var status: KnownOrRaw<Status>?
  /// The line.
  public var originalTransactionId: String?
  /// The transaction, signed.
  public var signedTransactionInfo: String?
  /// What will become of it, signed.
  public var signedRenewalInfo: String?

  /// Reads what an object states.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    status = try fields.listed("status")
    originalTransactionId = try fields.text("originalTransactionId")
    signedTransactionInfo = try fields.text("signedTransactionInfo")
    signedRenewalInfo = try fields.text("signedRenewalInfo")
  }

  /// What it states, as Apple writes it.
  public var json: JSONValue {
    .members([
      ("status", .listed(status)), ("originalTransactionId", .text(originalTransactionId)),
      ("signedTransactionInfo", .text(signedTransactionInfo)), ("signedRenewalInfo", .text(signedRenewalInfo)),
    ])
  }
}
