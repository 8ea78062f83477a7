package import PaymentPrimitives

/// Every bound of the simulator by name, with the reason for its size.
package enum WeChatPaySimulatorLimits {
  /// Bytes of one record of the log. The largest, a refund with its notification, has some 6 kB.
  static let recordBytesMax = 64 << 10
  /// Lines that a kill may have torn: one each time that the simulator was killed while it opened the log again.
  static let tornLinesMax = 3
  /// Merchants: a team has a handful.
  package static let merchantsMax = 1000
  /// API certificates of one merchant: WeChat Pay allows three at a time.
  static let merchantCertificatesMax = 3
  static let appidsMax = 50
  /// Orders: each takes about a kilobyte of memory.
  package static let ordersMax = 5_000_000
  /// Prepay ids of one order that are remembered; each is good for two hours only.
  static let prepaysMax = 64
  /// Refunds of one order: WeChat Pay's own bound.
  package static let refundsPerOrderMax = 50
  /// Notifications, delivered ones included: each takes about two kilobytes of memory.
  package static let notificationsMax = 10_000_000
  /// Faults that are planned at a time.
  static let plannedFaultsMax = 100
  /// Platform certificates that are ever issued.
  static let certificatesMax = 16
  /// How long a `prepay_id` and a `code_url` are good for.
  static let prepayLife = TimeSpan.hours(2)
  /// How long an `h5_url` is good for.
  static let h5Life = TimeSpan.minutes(5)
  /// When an order ends that states no `time_expire`.
  static let expiryOtherwise = TimeSpan.days(7)
  /// The least and the most of `time_expire`; what lies beyond is moved silently.
  static let expiryLeast = TimeSpan.minutes(1)
  static let expiryMost = TimeSpan.days(90)
  /// How long after a payment it may be refunded.
  static let refundLife = TimeSpan.days(365)
  /// How long apart two refunds of one order are asked for.
  static let refundPause = TimeSpan.minutes(1)
  /// How long a refund takes unless a knob says otherwise.
  static let refundSpan = TimeSpan.seconds(5)
  /// How long a bill lies ready for its download.
  static let billLife = TimeSpan.minutes(5)
  /// Bills that lie ready at a time; an older one is dropped.
  static let billsMax = 8
  /// How far back bills are made.
  static let billDaysMax: Int64 = 92
  /// How long ago a request may have been signed with the same nonce.
  static let nonceLife = TimeSpan.minutes(5)
  /// Nonces that are remembered for it.
  static let noncesMax = 100_000
  /// Exchanges that the journal keeps: enough to see what one purchase did.
  static let journalMax = 500
  /// Attempts that are under way at a time: one slow server must not hold up the others.
  static let attemptsInFlightMax = 16
  /// How long one attempt waits for its answer: WeChat Pay's own limit.
  static let attemptTimeLimit = TimeSpan.seconds(5)
  /// How long the sender sleeps when nothing is due; news or a change of the clock wakes it at once.
  static let senderIdle = TimeSpan.minutes(10)
  /// How long an answer is held back by the fault `slow` unless a knob says otherwise: longer than a client waits.
  static let slowAnswer = TimeSpan.seconds(20)
  /// How much faster than the world the clock may run: a day in a second.
  package static let clockRateMax: Int64 = 86_400
  /// How far the clock may be moved at a time: ten years.
  package static let clockStepMax = TimeSpan.days(3653)
  /// Bytes of a request to the API or to the control API.
  static let bodyBytesMax = 64 << 10
  /// Items of one page of the control API.
  static let pageMax = 500
}
