package import PaymentPrimitives

/// Every limit of the engine by name, with the reason for its value.
package struct EngineLimits: Hashable, Sendable {
  /// Open orders of one user: more than any app shows, few enough to list.
  package var openOrdersPerUser = 20
  /// Open orders of one user for one product: enough for a customer who taps again, not for a loop.
  package var openOrdersPerProduct = 5
  /// Orders, and payments, of a user that one commit moves to another user: about a tenth of a second's work.
  package var rowsPerMerge = 2000
  /// Promotional entitlements of one user that end later: more than any support case needs, and not a loop's.
  package var promotionalPerUser = 100
  /// Those that one read has, the longest first. A user may have more than they may be given, through merges.
  package var promotionalListed = 200
  /// How far ahead one may end: whoever gives longer gives it again.
  package var promotionalSpan = TimeSpan.days(366)
  /// Rows of others that one step of an erasure changes: nobody else writes meanwhile, so it must be short.
  package var rowsPerErasureStep = 100
  /// Rows that an erasure looks through at a time for the user's name, beside other writers.
  package var rowsPerErasureRead = 20_000
  /// How often erasures that did not end are taken up.
  package var erasureInterval = TimeSpan.hours(1)
  /// Time from a start to the first look for rows that are kept no longer, between two looks, and between two of their
  /// commits.
  package var retentionDelay = TimeSpan.minutes(10)
  package var retentionInterval = TimeSpan.days(1)
  package var retentionPause = TimeSpan.milliseconds(50)
  /// How often the hours are counted; nil: never. A page of the console is at most so far behind.
  package var totalsInterval: TimeSpan? = .minutes(1)
  /// Rows of the journal, and deliveries, that one step counts: about ten milliseconds of a reader.
  package var rowsPerTotalsStep = 5_000
  /// Pause between two steps while more rows wait: an upgrade counts eight days of a large shop within minutes.
  package var totalsPause = TimeSpan.milliseconds(200)
  /// How far back the first count begins: more than the longest chart shows.
  package var totalsReach = TimeSpan.days(8)
  /// How long an order waits for its payment where the store states no time (docs/specification/states.md, “Order”).
  package var orderLifetime = TimeSpan.days(7)
  /// How long it waits while a parent's approval is pending.
  package var approvalLifetime = TimeSpan.days(30)
  /// Expired orders closed in one transaction: few enough not to delay other transactions.
  package var expiryBatch = 100
  /// Interval between searches for expired orders.
  package var expiryInterval = TimeSpan.seconds(30)
  /// The longest time before a waiting read checks the database again, in case another process has written there. No
  /// call waits as long, so each is read twice: at its start and at its end. Several nodes need 2 s (record 172).
  package var waitRecheck = TimeSpan.seconds(30)

  /// Delays between attempts of a delivery (docs/specification/states.md, “Delivery”); the last one repeats until
  /// `deliveryLifetime`.
  package var deliverySchedule: [TimeSpan] = [
    .zero, .seconds(1), .seconds(5), .seconds(30), .minutes(2), .minutes(10), .minutes(30),
    .hours(1), .hours(3), .hours(6), .hours(12),
  ]
  /// How long a delivery is tried before it is parked.
  package var deliveryLifetime = TimeSpan.days(30)
  /// Time limit of one attempt: receivers commit before they answer.
  package var deliveryTimeLimit = TimeSpan.seconds(15)
  /// Attempts in flight to one receiver at a time: a slow receiver uses only its own.
  package var deliveriesInFlightPerEndpoint = 16
  /// Duration of a lease on a delivery: longer than an attempt, so that a running worker never loses it.
  package var deliveryLease = TimeSpan.seconds(45)
  /// Pause of a delivery worker when the database lets it take nothing.
  package var deliveryLeasePause = TimeSpan.seconds(1)
  /// Deliveries that a starting worker checks for leases of a killed one. With a longer backlog, these leases need
  /// not end early.
  package var deliveryLeasesEndedAtStart = 1000
  /// Consecutive errors after which a receiver is paused.
  package var breakerThreshold = 8
  /// Pause between single probes of a receiver that keeps failing.
  package var breakerPause = TimeSpan.seconds(10)
  /// The longest sleep of the delivery worker when nothing is due. A new delivery of this process wakes it at once;
  /// this limit is for deliveries that another process has written.
  package var deliveryIdle = TimeSpan.seconds(30)

  /// How long the use of an operator key waits to be written, so that several are one write.
  package var keyUsePause = TimeSpan.minutes(1)
  /// Pause before the stores are asked again about the gap after a restored backup.
  package var backupGapPause = TimeSpan.seconds(15)
  /// The shortest time between two questions to a store about the same order (docs/specification/http.md, rule 11).
  package var storeQuestionPause = TimeSpan.seconds(2)
  /// Time from an unpaid answer to a waiting caller's second question (1B.3).
  package var storeQuestionRepeat = TimeSpan.seconds(5)
  /// The longest time that a client back from the cashier waits for both questions.
  package var storeQuestionSpan = TimeSpan.seconds(12)
  /// Orders taken in one batch of questions.
  package var storeQuestionBatch = 100
  /// Questions in flight at a time: at 100 ms each it stays far below the store's limit of 600 a second.
  package var storeQuestionsInFlight = 16
  /// The longest sleep of the questions' worker: for questions that another process has written.
  package var storeQuestionIdle = TimeSpan.seconds(30)

  /// Interval between searches for days without a compared bill; WeChat Pay asks for half an hour between tries.
  package var reconciliationInterval = TimeSpan.minutes(30)
  /// Time from a start to the comparison with Apple's records. Live purchases have priority anyway, and a server that
  /// restarts often must reach it.
  package var reconciliationDelay = TimeSpan.seconds(10)
  /// Days to look back: a server that was down for a month catches up; WeChat Pay keeps bills for three months.
  package var reconciliationDays = 31

  /// How long Apple's answer about a transaction is awaited; afterwards the process continues with what is known
  /// (docs/specification/matching.md, “What Apple is asked first”).
  package var appStoreAnswerSpan = TimeSpan.hours(24)
  /// The age up to which a signature is accepted without asking Apple: it cannot show a later refund.
  package var signatureAge = TimeSpan.hours(24)
  /// Purchases of one receipt that are answered in one call.
  package var receiptAnswers = 500
  /// How many of them Apple is asked about within the call; the others follow on schedule.
  package var receiptQuestions = 20
  /// When a client asks again about a transaction that is not known yet.
  package var pendingRetryAfter = TimeSpan.seconds(5)
  /// Questions to Apple about bare transaction ids per caller and hour: ids can be enumerated.
  package var bareQuestionsPerHour = 20
  /// How long the server tries to send Apple a finish or a token.
  package var repairSpan = TimeSpan.days(30)
  /// Interval between questions to Apple about imported purchases: ten a second leave most of its fifty to live ones.
  package var importedQuestionPause = TimeSpan.milliseconds(100)
  /// Held payments that one import of the earlier system's list decides again; more are an operator's work.
  package var reconsideredAtOnce = 10_000

  /// Pause before a stopped change is tried again: usually a person must remove the cause.
  package static let stoppedRetryInterval = TimeSpan.hours(1)
  /// The shortest sleep of the retry worker, if more is due than one run tries.
  static let stoppedRetryPause = TimeSpan.seconds(5)
  /// Stopped changes tried in one run: more than a wrong row or setting ever stopped.
  static let stoppedRetriesPerRun = 500
  /// Interval in which a node says that it lives.
  package var nodeBeat = TimeSpan.seconds(5)
  /// How far a node's clock may be from the database's before the log says so.
  package var nodeClockSlack = TimeSpan.seconds(2)
  /// How far before `/readyz?verbose` warns: tokens live for minutes, so some are refused, or outlive their end.
  package var nodeClockMax = TimeSpan.seconds(30)
  /// How long a node holds the right to a standing work without a renewal; it renews four times as often.
  package var workLease = TimeSpan.seconds(30)
  /// How long a node waits before it asks again for the right to a standing work that another does.
  package var workLeasePause = TimeSpan.seconds(10)
  /// The shortest time between two messages to other nodes.
  package var nodeNewsPause = TimeSpan.milliseconds(50)
  /// The pause after a failure to hear other nodes. Meanwhile readers who wait look again once in it.
  package var nodeHearingPause = TimeSpan.seconds(2)
  /// How often the database is asked whether transactions have ended, before a page of a feed is what was settled
  /// earlier: with the pause between, a second.
  package var feedLooks = 40
  package var feedPause = TimeSpan.milliseconds(25)
  /// The longest time before a reader who waits for events looks again without a signal.
  package var eventRecheck = TimeSpan.seconds(2)
  /// How often an event that waits for the delivery of its grant looks whether that is acknowledged.
  package var eventGrantRecheck = TimeSpan.seconds(1)
  /// Interval of the checks for a clock that was set back and for a database that is writable again. What waits for
  /// either is sent within 20 s.
  package var watchInterval = TimeSpan.seconds(15)

  /// Rows that the audit reads at a time.
  package var auditPage = 500
  /// Queries by key about a transaction with an unknown outcome.
  package var outcomeRetries = 5
  package var outcomePause = TimeSpan.milliseconds(200)

  package init() {}
}

extension EngineLimits {
  /// The delay before the next attempt of a delivery: random, up to the value of the schedule. Receivers that failed
  /// together must not all be called together.
  ///
  /// - Parameter chance: below 2³².
  func deliveryDelay(after attempts: Int, chance: UInt64) -> TimeSpan {
    let most = deliverySchedule[min(attempts, deliverySchedule.count - 1)]
    // A shift binds tighter than a multiplication.
    return TimeSpan(milliseconds: Int64((UInt64(most.milliseconds) * chance) >> 32))
  }
}
