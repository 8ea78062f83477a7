package import PaymentPrimitives

/// Every bound of the simulator by name, with the reason for its size.
package enum SimulatorLimits {
  /// Pieces of one purchase: StoreKit allows ten of a consumable.
  package static let quantityMax = 10
  /// Bytes of one record of the log. The largest, a purchase, has 1.5 kB.
  package static let recordBytesMax = 16 << 10
  /// Lines that a kill may have torn: one each time that the simulator was killed while it opened the log again.
  static let tornLinesMax = 3
  /// Apps: a team has a handful.
  package static let appsMax = 1000
  /// Products of one app: App Store Connect allows 10 000.
  package static let productsMax = 10_000
  /// Levels of a subscription group: as many as it may have products.
  static let subscriptionLevelsMax = 100
  /// Accounts: each takes less than a kilobyte of memory.
  package static let accountsMax = 1_000_000
  /// Transactions: each takes about a kilobyte of memory.
  package static let transactionsMax = 5_000_000
  /// Notifications, delivered ones included: each takes about two kilobytes of memory.
  package static let notificationsMax = 5_000_000
  /// Attempts that are under way at a time: one slow server must not hold up the others.
  static let attemptsInFlightMax = 16
  /// How long one attempt waits: Apple's engineers speak of "a few seconds at most".
  static let attemptTimeLimit = TimeSpan.seconds(5)
  /// How long the sender sleeps when nothing is due; a new notification or a change of the clock wakes it at once.
  static let senderIdle = TimeSpan.minutes(10)
  /// How far a renewal may lie ahead: Apple charges within the last day of a period.
  static let renewalLead = TimeSpan.hours(24)
  /// How long a renewal that could not be charged is tried.
  static let billingRetryPeriod = TimeSpan.days(60)
  /// After which time the store decides on a refund that a customer asked for: the answer has so long to come.
  static let refundDecision = TimeSpan.hours(12)
  /// Renewals of a subscription whose periods last minutes: the sandbox stops after twelve.
  static let acceleratedRenewalsMax = 12
  /// What a day lasts where a month lasts five minutes.
  static let acceleratedDay = TimeSpan.seconds(10)
  /// Offers of one product: Apple allows ten active promotional ones.
  static let offersMax = 10
  /// Members of a family besides the buyer: Apple allows five.
  static let familyMembersMax = 5
  /// Seats that one notification names: each has forty bytes of a record.
  static let seatsMax = 100
  /// Days by which a renewal date is put off at a time: Apple allows ninety.
  static let extensionDaysMax: Int64 = 90
  /// How much faster than the world the clock may run: a day in a second.
  package static let clockRateMax: Int64 = 86_400
  /// How far the clock may be moved at a time: ten years.
  package static let clockStepMax = TimeSpan.days(3653)
  /// Bytes of a request to the control API.
  static let controlBodyBytesMax = 16 << 10
  /// Keys of the API: App Store Connect allows a team far fewer.
  static let apiKeysMax = 50
  /// Faults that are planned at a time; together they fit into a record.
  static let apiFaultsMax = 50
  /// Bytes of what a server says of a purchase's use: both forms have some hundred.
  static let consumptionBytesMax = 2048
  /// Bytes of a question to `verifyReceipt`: a receipt of thousands of purchases in Base64.
  static let receiptQuestionBytesMax = 12 << 20
  /// How late a slow answer comes: later than a client's patience should be.
  static let slowAnswer = TimeSpan.seconds(30)
  /// Items of one page of the control API.
  static let pageMax = 500
}
