package import PaymentPrimitives

/// Every bound of the engine by name, with the reason for its size.
package struct EngineLimits: Hashable, Sendable {
  /// Open orders of one user: more than any shop shows, few enough to list.
  package var openOrdersPerUser = 20
  /// Open orders of one user for one product: a customer who taps again, not a loop.
  package var openOrdersPerProduct = 5
  /// How long an App Store order waits for its payment (docs/specification/states.md, “Order”).
  package var appStoreOrderLifetime = TimeSpan.days(7)
  /// How long it waits while a parent's approval is pending.
  package var approvalLifetime = TimeSpan.days(30)
  /// How many expired orders are closed in one transaction: small enough not to hold others up.
  package var expiryBatch = 100
  /// How often expired orders are looked for.
  package var expiryInterval = TimeSpan.seconds(30)
  /// How long a waiting read sleeps at most before it looks again by itself, should the bell be missed (another node).
  package var waitRecheck = TimeSpan.seconds(2)

  /// Delays between attempts of a delivery (docs/specification/states.md, “Delivery”); the last one repeats until
  /// `deliveryLifetime`.
  package var deliverySchedule: [TimeSpan] = [
    .zero, .seconds(1), .seconds(5), .seconds(30), .minutes(2), .minutes(10), .minutes(30),
    .hours(1), .hours(3), .hours(6), .hours(12),
  ]
  /// How long a delivery is tried before it is parked.
  package var deliveryLifetime = TimeSpan.days(30)
  /// How long one attempt may take: receivers commit before they answer.
  package var deliveryTimeLimit = TimeSpan.seconds(15)
  /// Attempts on their way to one receiver at a time: a slow one ties up its own, not the others'.
  package var deliveriesInFlightPerEndpoint = 16
  /// How long a lease on a delivery lasts: longer than an attempt, so that a live worker never loses it.
  package var deliveryLease = TimeSpan.seconds(45)
  /// How long a delivery worker waits when the database lets it take nothing.
  package var deliveryLeasePause = TimeSpan.seconds(1)
  /// How many deliveries are looked through, at the start of a worker, for leases of one that was killed. Behind a
  /// longer backlog nobody waits for them.
  package var deliveryLeasesEndedAtStart = 1000
  /// Failures in a row after which a receiver is left alone for a while.
  package var breakerThreshold = 8
  /// How long a receiver that keeps failing is left alone between single probes.
  package var breakerPause = TimeSpan.seconds(10)
  /// How long the delivery worker sleeps at most when nothing is due. A new delivery of this process wakes it at once;
  /// this is for what another process has written.
  package var deliveryIdle = TimeSpan.seconds(30)

  /// How soon a store is asked about the same order again, whoever wants to know (docs/specification/http.md, rule 11).
  package var storeQuestionPause = TimeSpan.seconds(2)
  /// How long after an unpaid answer a waiting caller's second question comes (1B.3).
  package var storeQuestionRepeat = TimeSpan.seconds(5)
  /// How long a client that comes back from the cashier waits for both at most.
  package var storeQuestionSpan = TimeSpan.seconds(12)
  /// How many orders are taken to be asked about at a time.
  package var storeQuestionBatch = 100
  /// Questions on their way at a time: at 100 ms each it stays far below the store's limit of 600 a second.
  package var storeQuestionsInFlight = 16
  /// How long the questions' worker sleeps at most: for what another process has written.
  package var storeQuestionIdle = TimeSpan.seconds(30)

  /// How often days are looked for whose bill was not compared; WeChat Pay asks for half an hour between tries.
  package var reconciliationInterval = TimeSpan.minutes(30)
  /// How soon after a start the records of Apple are compared: live purchases go before it anyway, and a server that is
  /// restarted often must come to it.
  package var reconciliationDelay = TimeSpan.seconds(10)
  /// How many days back: a server that was down for a month makes up for them; WeChat Pay keeps bills for three.
  package var reconciliationDays = 31

  /// How long Apple may take to say what a transaction is before what is known without it goes on
  /// (docs/specification/matching.md, “What Apple is asked first”).
  package var appStoreAnswerSpan = TimeSpan.hours(24)
  /// How old a signature may be that is believed without asking Apple: a refund since then would not show in it.
  package var signatureAge = TimeSpan.hours(24)
  /// Purchases of one receipt that are answered in one call.
  package var receiptAnswers = 500
  /// How many of them Apple is asked about within the call; the others are asked about by the schedule.
  package var receiptQuestions = 20
  /// When a client whose transaction is not known yet is to ask again.
  package var pendingRetryAfter = TimeSpan.seconds(5)
  /// Bare transaction ids that one caller may have Apple asked about in an hour: ids can be counted through.
  package var bareQuestionsPerHour = 20
  /// How long after its grant a consumable is finished at Apple, if no client says that it did
  /// (docs/specification/matching.md, “After the grant”).
  package static let finishAfter = TimeSpan.minutes(10)
  /// How long Apple is told of a finish or a token before that is given up.
  package var repairSpan = TimeSpan.days(30)
  /// How far apart Apple is asked about imported purchases: ten a second leave most of its fifty to live ones.
  package var importedQuestionPause = TimeSpan.milliseconds(100)
  /// How many held payments an import of the earlier system's list decides about anew: more are an operator's work.
  package var reconsideredAtOnce = 10_000

  /// How long a stopped change waits for its next attempt: what stopped it is a person's work.
  package static let stoppedRetryInterval = TimeSpan.hours(1)
  /// How long the retries' worker sleeps at least, should more be due than one run tries.
  static let stoppedRetryPause = TimeSpan.seconds(5)
  /// How many stopped changes are tried in one run: more than a wrong row or setting ever stopped.
  static let stoppedRetriesPerRun = 500
  /// How often is looked whether the clock was set back, and whether a database that failed can be written again: what
  /// waits because of either goes out within 20 s.
  package var watchInterval = TimeSpan.seconds(15)

  /// Rows that the audit reads at a time.
  package var auditPage = 500
  /// How often a transaction whose outcome is unknown is asked again by its key.
  package var outcomeRetries = 5
  package var outcomePause = TimeSpan.milliseconds(200)

  package init() {}
}

extension EngineLimits {
  /// How long the next attempt of a delivery waits after so many: by chance up to what the schedule says, because
  /// receivers that were down together must not all be asked together.
  ///
  /// - Parameter chance: below 2³².
  func deliveryDelay(after attempts: Int, chance: UInt64) -> TimeSpan {
    let most = deliverySchedule[min(attempts, deliverySchedule.count - 1)]
    // A shift binds tighter than a multiplication.
    return TimeSpan(milliseconds: Int64((UInt64(most.milliseconds) * chance) >> 32))
  }
}
