import PaymentModel
import PaymentPrimitives

/// Judges the conditions of the rules from the metrics that a scrape would show.
struct AlertJudge: Sendable {
  private static let diskBytesLeast = 5e9
  private static let backupAgeMost = 93_600.0
  /// Four hours before the first answer is due, and eight hours before the end is.
  private static let unansweredMost = 72_000.0
  private static let complaintMost = 230_400.0
  private static let certificateLeast = 14.0 * 86_400
  private static let comparisonAgeMost = TimeSpan.hours(36)

  private var window = MetricsWindow()

  /// What the metrics do not show.
  struct Beside: Sendable {
    /// The apps with the environment of their money.
    var apps: [AppEnvironment] = []
    /// When each store was last compared, by the subject of an alert; a store that sells and never was is absent.
    var comparedAt: [String: Timestamp] = [:]
  }

  /// Takes the present metrics and says which conditions hold.
  mutating func observe(_ metrics: Metrics, _ beside: Beside, at now: Timestamp) -> [AlertObservation] {
    let reading = Reading(metrics, now)
    window.take(reading.sums(), at: now)
    return beside.apps.flatMap { waiting(in: $0, reading) + slowness(in: $0, reading) + silence(in: $0) }
      + money(reading) + missingComparisons(beside, at: now) + stores(reading) + machine(reading, at: now)
  }

  // MARK: Money

  private func waiting(in appEnvironment: AppEnvironment, _ reading: Reading) -> [AlertObservation] {
    let subject = Reading.subject(appEnvironment)
    var found: [AlertObservation] = []
    func add(_ rule: AlertRule, _ value: Double, lasted: TimeSpan? = nil) {
      if value > 0 { found.append(AlertObservation(AlertKey(rule, about: subject), value, lasted: lasted)) }
    }
    let labels = [("app", appEnvironment.app.text), ("environment", appEnvironment.environment.rawValue)]
    let metrics = reading.metrics
    add(
      .changesStopped,
      StoppedChange.Kind.allCases.map { metrics.value(.stoppedChanges, labels + [("kind", $0.rawValue)]) }
        .reduce(0, +))
    let undelivered = metrics.value(.oldestUndeliveredSeconds, labels)
    add(.undelivered, undelivered, lasted: Self.span(undelivered))
    add(.deliveriesParked, metrics.value(.deliveriesParked, labels))
    let waiting = ["held", "unclaimed"].map { metrics.value(.oldestWaitingPaymentSeconds, labels + [("state", $0)]) }
    add(.paidWaitsForAPerson, waiting.max() ?? 0, lasted: Self.span(waiting.max() ?? 0))
    let complaints = ["unanswered", "answered"].map {
      metrics.value(.oldestComplaintSeconds, labels + [("state", $0)])
    }
    if complaints[0] > Self.unansweredMost || (complaints.max() ?? 0) > Self.complaintMost {
      add(.complaintDue, complaints.max() ?? 0)
    }
    return found
  }

  private static func span(_ seconds: Double) -> TimeSpan {
    .milliseconds(Int64(max(0, min(seconds, 9e12)) * 1000))
  }

  private func money(_ reading: Reading) -> [AlertObservation] {
    let broken = window.increase(Reading.invariants, over: .minutes(10))
    let differing = reading.stores.compactMap { store -> AlertObservation? in
      let count = window.increase(Reading.differences + store, over: .hours(1))
      return count > 0 ? AlertObservation(AlertKey(.reconciliationDiffers, about: store), count) : nil
    }
    return (broken > 0 ? [AlertObservation(AlertKey(.invariantBroken), broken)] : []) + differing
  }

  private func missingComparisons(_ beside: Beside, at now: Timestamp) -> [AlertObservation] {
    beside.comparedAt.compactMap { subject, moment in
      let age = now - moment
      guard age > Self.comparisonAgeMost else { return nil }
      return AlertObservation(
        AlertKey(.reconciliationMissing, about: subject), Double(age.milliseconds) / 1000, lasted: age)
    }.sorted { $0.key.subject < $1.key.subject }
  }

  /// More than a tenth of half an hour's purchases, and at least two.
  private func slowness(in appEnvironment: AppEnvironment, _ reading: Reading) -> [AlertObservation] {
    let subject = Reading.subject(appEnvironment)
    let all = window.increase(Reading.grants + subject, over: .minutes(30))
    let late = all - window.increase(Reading.grantsInTime + subject, over: .minutes(30))
    guard all > 0, late > 1, late / all > 0.1 else { return [] }
    return [AlertObservation(AlertKey(.purchaseToGrantSlow, about: subject), late / all)]
  }

  // MARK: Stores

  /// Purchases go on, and no store has told anything.
  private func silence(in appEnvironment: AppEnvironment) -> [AlertObservation] {
    let subject = Reading.subject(appEnvironment)
    let sold = window.increase(Reading.fulfilled + subject, over: .hours(6))
    guard sold > 20, window.increase(Reading.notifications + subject, over: .hours(6)) == 0 else { return [] }
    return [AlertObservation(AlertKey(.notificationsSilent, about: subject), sold)]
  }

  private func stores(_ reading: Reading) -> [AlertObservation] {
    var found: [AlertObservation] = []
    let forged = window.increase(Reading.forgeries, over: .minutes(10))
    if forged > 600 { found.append(AlertObservation(AlertKey(.forgeries), forged)) }
    for app in reading.appleApps {
      if let share = failingShare(Reading.apple + app) {
        found.append(AlertObservation(AlertKey(.appStoreUnreachable, about: app), share))
      }
    }
    if let share = failingShare(Reading.weChat) {
      found.append(AlertObservation(AlertKey(.weChatPayUnreachable), share))
    }
    return found
  }

  /// The share of failing calls, if it is more than half.
  private func failingShare(_ name: String) -> Double? {
    let all = window.increase(name, over: .minutes(10))
    let failing = all - window.increase(name + Reading.answered, over: .minutes(10))
    return all > 0 && failing / all > 0.5 ? failing / all : nil
  }

  // MARK: The machine

  private func machine(_ reading: Reading, at now: Timestamp) -> [AlertObservation] {
    let seconds = Double(now.milliseconds) / 1000
    var found: [AlertObservation] = []
    func add(_ rule: AlertRule, _ value: Double, lasted: TimeSpan? = nil) {
      found.append(AlertObservation(AlertKey(rule), value, lasted: lasted))
    }
    if reading.one(.storeWritable) == 0 { add(.notWritable, 1) }
    let lost = window.increase(Reading.commitsLost, over: .hours(1))
    if lost > 0 { add(.commitsLost, lost) }
    let commits = window.increase(Reading.commits, over: .minutes(5))
    let slow = commits - window.increase(Reading.commitsInTime, over: .minutes(5))
    if slow > 1, slow / commits > 0.01 { add(.commitSlow, slow / commits) }
    if let free = reading.one(.diskFreeBytes) {
      // As much again as in the last six hours, four times: a day.
      let change = window.change(Reading.disk, since: .hours(6)) ?? 0
      if free < Self.diskBytesLeast || free + 4 * change < 0 { add(.diskFull, free) }
    }
    if let taken = reading.one(.backupVerifiedTimestampSeconds), seconds - taken > Self.backupAgeMost {
      add(.backupOld, seconds - taken)
    }
    if let until = reading.one(.certificateExpiryTimestampSeconds), until - seconds < Self.certificateLeast {
      add(.certificateExpires, until - seconds)
    }
    return found
  }
}

/// One look at the metrics, with the sums that increases are counted of.
private struct Reading {
  static let invariants = "invariants"
  static let differences = "differences "
  static let grants = "grants "
  static let grantsInTime = "grantsInTime "
  static let fulfilled = "fulfilled "
  static let notifications = "notifications "
  static let forgeries = "forgeries"
  static let apple = "apple "
  static let weChat = "weChat"
  static let answered = " answered"
  static let commits = "commits"
  static let commitsLost = "commitsLost"
  static let commitsInTime = "commitsInTime"
  static let disk = "disk"

  private static let grantSecondsMost = 300.0
  private static let commitSecondsMost = 0.5

  let metrics: Metrics
  let now: Timestamp

  init(_ metrics: Metrics, _ now: Timestamp) {
    self.metrics = metrics
    self.now = now
  }

  static func subject(_ appEnvironment: AppEnvironment) -> String {
    "\(appEnvironment.app.text)/\(appEnvironment.environment.rawValue)"
  }

  private static func subject(_ labels: [String: String]) -> String {
    "\(labels["app"] ?? "")/\(labels["environment"] ?? "")"
  }

  /// The only series of a metric without labels; nil if it has none yet.
  func one(_ metric: Metric) -> Double? { metrics.series(of: metric).first?.value }

  var stores: [String] {
    Set(metrics.series(of: .reconciliationsTotal).compactMap { $0.labels["store"] }).sorted()
  }

  var appleApps: [String] {
    Set(metrics.series(of: .appStoreCallsTotal).compactMap { $0.labels["app"] }).sorted()
  }

  func sums() -> MetricsWindow.Sums {
    var sums: MetricsWindow.Sums = [:]
    func add(_ name: String, _ value: Double) { sums[name, default: 0] += value }
    for series in metrics.series(of: .invariantViolationTotal) { add(Self.invariants, series.value) }
    for series in metrics.series(of: .verifyFailuresTotal) { add(Self.forgeries, series.value) }
    for series in metrics.series(of: .reconciliationsTotal) where series.labels["outcome"] == "differences" {
      add(Self.differences + (series.labels["store"] ?? ""), series.value)
    }
    for series in metrics.series(of: .paymentsTotal) where series.labels["state"] == "fulfilled" {
      add(Self.fulfilled + Self.subject(series.labels), series.value)
    }
    for series in metrics.series(of: .notificationsTotal) {
      add(Self.notifications + Self.subject(series.labels), series.value)
    }
    for series in metrics.series(of: .appStoreCallsTotal) {
      add(Self.apple + (series.labels["app"] ?? ""), series.value)
      if series.labels["outcome"] == "answered" {
        add(Self.apple + (series.labels["app"] ?? "") + Self.answered, series.value)
      }
    }
    for series in metrics.series(of: .wechatPayCallsTotal) {
      add(Self.weChat, series.value)
      if series.labels["outcome"] == "answered" { add(Self.weChat + Self.answered, series.value) }
    }
    for series in metrics.timesSeries(of: .purchaseToGrantSeconds, within: Self.grantSecondsMost) {
      add(Self.grants + Self.subject(series.labels), Double(series.all))
      add(Self.grantsInTime + Self.subject(series.labels), Double(series.within))
    }
    for series in metrics.timesSeries(of: .commitSeconds, within: Self.commitSecondsMost) {
      add(Self.commits, Double(series.all))
      add(Self.commitsInTime, Double(series.within))
    }
    if let lost = one(.databaseLostCommitsTotal) { sums[Self.commitsLost] = lost }
    if let free = one(.diskFreeBytes) { sums[Self.disk] = free }
    return sums
  }
}
