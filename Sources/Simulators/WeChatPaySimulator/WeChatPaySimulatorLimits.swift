import PaymentPrimitives

/// Every limit of the simulator by name, with the reason for its size.
package enum WeChatPaySimulatorLimits {
  /// Bytes of one log record. The largest, a refund with its notification, has some 6 kB.
  static let recordBytesMax = 64 << 10
  /// Merchants: a team has a few.
  package static let merchantsMax = 1000
  /// API certificates of one merchant: WeChat Pay allows three at a time.
  static let merchantCertificatesMax = 3
  static let appidsMax = 50
  /// Orders: each takes about a kilobyte of memory.
  package static let ordersMax = 5_000_000
  /// Prepay ids that are kept per order; each is valid for two hours only.
  static let prepaysMax = 64
  /// Refunds of one order: WeChat Pay's own limit.
  package static let refundsPerOrderMax = 50
  /// Notifications, delivered ones included: each takes about two kilobytes of memory.
  package static let notificationsMax = 10_000_000
  /// Planned faults at the same time.
  static let plannedFaultsMax = 100
  /// Platform certificates in total.
  static let certificatesMax = 16
  /// Validity of a `prepay_id` and a `code_url`.
  static let prepayLife = TimeSpan.hours(2)
  /// Validity of an `h5_url`.
  static let h5Life = TimeSpan.minutes(5)
  /// Time to pay for an order without `time_expire`.
  static let expiryOtherwise = TimeSpan.days(7)
  /// Minimum and maximum of `time_expire`; values outside are silently changed to them.
  static let expiryLeast = TimeSpan.minutes(1)
  static let expiryMost = TimeSpan.days(90)
  /// How long after a payment a refund is allowed.
  static let refundLife = TimeSpan.days(365)
  /// States of one refund: four, and two more for each time that it is sent on its way again.
  static let refundStepsMax = 64
  /// Transfers between a merchant's accounts and its bank: each takes some hundred bytes of memory.
  static let transfersMax = 1_000_000
  /// Complaints: each takes some kilobytes of memory.
  static let complaintsMax = 100_000
  /// Steps of one complaint's talk: a record holds all of them.
  static let complaintStepsMax = 40
  /// Minimum time between two refund requests for one order.
  static let refundPause = TimeSpan.minutes(1)
  /// Duration of a refund, unless a behaviour setting changes it.
  static let refundSpan = TimeSpan.seconds(5)
  /// How long a bill stays ready for download.
  static let billLife = TimeSpan.minutes(5)
  /// Bills that are ready at the same time; the oldest ones are dropped.
  static let billsMax = 8
  /// How many days back bills are available.
  static let billDaysMax: Int64 = 92
  /// How long a nonce must not be used again.
  static let nonceLife = TimeSpan.minutes(5)
  /// Nonces that are kept for this check.
  static let noncesMax = 100_000
  /// Exchanges in the journal: enough for all requests of one purchase.
  static let journalMax = 500
  /// How long one attempt waits for its answer: WeChat Pay's own limit.
  static let attemptTimeLimit = TimeSpan.seconds(5)
  /// Delay of an answer with the fault `slow`, unless a behaviour setting changes it: longer than a client waits.
  static let slowAnswer = TimeSpan.seconds(20)
  /// Bytes of a request to the API or to the control API.
  static let bodyBytesMax = 64 << 10
}
