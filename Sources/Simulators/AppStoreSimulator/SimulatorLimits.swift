import PaymentPrimitives

/// Every limit of the simulator by name, with the reason for its size.
package enum SimulatorLimits {
  /// Pieces of one purchase: StoreKit allows ten of a consumable.
  package static let quantityMax = 10
  /// Bytes of one log record. The largest, a purchase, has 1.5 kB.
  package static let recordBytesMax = 16 << 10
  /// Apps: a team has a few.
  package static let appsMax = 1000
  /// Products of one app: App Store Connect allows 10 000.
  package static let productsMax = 10_000
  /// Levels of a subscription group: as many as its maximum of products.
  static let subscriptionLevelsMax = 100
  /// Accounts: each takes less than a kilobyte of memory.
  package static let accountsMax = 1_000_000
  /// Transactions: each takes about a kilobyte of memory.
  package static let transactionsMax = 5_000_000
  /// Notifications, delivered ones included: each takes about two kilobytes of memory.
  package static let notificationsMax = 5_000_000
  /// How long one attempt waits: Apple's engineers say "a few seconds at most".
  static let attemptTimeLimit = TimeSpan.seconds(5)
  /// How early a renewal may come: Apple charges within the last day of a period.
  static let renewalLead = TimeSpan.hours(24)
  /// How long a failed renewal charge is retried.
  static let billingRetryPeriod = TimeSpan.days(60)
  /// Time until the App Store decides on a customer's refund request; the server's answer must arrive before.
  static let refundDecision = TimeSpan.hours(12)
  /// Renewals of a subscription with periods of minutes: the sandbox stops after twelve.
  static let acceleratedRenewalsMax = 12
  /// The length of a day when a month lasts five minutes.
  static let acceleratedDay = TimeSpan.seconds(10)
  /// Offers of one product: Apple allows ten active promotional ones.
  static let offersMax = 10
  /// Members of a family besides the buyer: Apple allows five.
  static let familyMembersMax = 5
  /// Seats that one notification names: each takes forty bytes of a record.
  static let seatsMax = 100
  /// Days per extension of a renewal date: Apple allows ninety.
  static let extensionDaysMax: Int64 = 90
  /// Extensions of one subscription in 365 days: Apple allows two.
  static let extensionsPerYear = 2
  /// Requests to extend all subscriptions to a product: each takes about a kilobyte of memory.
  static let massExtensionsMax = 10_000
  /// Bytes of the identifier of such a request: Apple allows 128 characters.
  static let requestIdentifierBytesMax = 128
  /// Countries that a request names: the App Store has 175 storefronts.
  static let storefrontsMax = 175
  /// Bytes of a request to the control API.
  static let controlBodyBytesMax = 16 << 10
  /// API keys: App Store Connect allows a team far fewer.
  static let apiKeysMax = 50
  /// Planned faults at the same time; together they fit into a record.
  static let apiFaultsMax = 50
  /// Certificates that one tester revokes.
  static let revocationsMax = 16
  /// Bytes of a server's consumption information: both versions have some hundred.
  static let consumptionBytesMax = 2048
  /// Bytes of a `verifyReceipt` request: a receipt of thousands of purchases in Base64.
  static let receiptQuestionBytesMax = 12 << 20
  /// Delay of a slow answer: longer than a client's timeout should be.
  static let slowAnswer = TimeSpan.seconds(30)
}
