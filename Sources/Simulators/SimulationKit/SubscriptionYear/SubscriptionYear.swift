import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// A simulated year of an app's subscribers. They subscribe, cancel, come back, change plans, fail to pay and are
/// refunded. Two users may share an Apple account. The App Store's notifications are lost, doubled, and up to 157 hours
/// late. At the end every entitlement must match the App Store, and so must the books of a backend that hears events
/// alone, and our own reports of revenue.
package struct SubscriptionYear: Sendable {
  package struct Report: Sendable {
    /// The number of subscriptions at the App Store.
    package var lines = 0
    /// The number of paid periods at the App Store.
    package var periods = 0
    /// The number of subscriptions in each state, according to the App Store.
    package var standing: [String: Int] = [:]
    /// Subscriptions that two users of one Apple account paid for in turn.
    package var takenOver = 0
    /// Refunds and reversed refunds by the App Store.
    package var refunds = 0
    /// Notifications that the App Store sent, including those that were lost on every attempt.
    package var notifications = 0
    /// What the comparison with the App Store's records corrected.
    package var healed = 0
    /// Subscriptions whose entitlement differs from the App Store.
    package var differences = 0
    package var steps = 0
    /// Months and currencies with revenue in the books of a backend that hears events alone.
    package var bookedMonths = 0
    /// Days of subscribers with a paid period in those books.
    package var bookedDays = 0
    /// Events that reached that backend again.
    package var repeatedEvents = 0
    /// Violated rules, as sentences.
    package var problems: [String] = []
  }

  private let subscribers: Int
  private let days: Int
  private let seed: UInt64

  /// A year with this many subscribers, or this many days of it.
  package init(subscribers: Int, days: Int = 365, seed: UInt64) {
    self.subscribers = subscribers
    self.days = days
    self.seed = seed
  }

  /// Runs the year.
  ///
  /// - Parameter progress: gets each day as it passes.
  package func run(progress: @escaping @Sendable (Int) -> Void = { _ in }) throws -> Report {
    let world = SimulatedWorld(seed: seed)
    let process = SimulatedProcess("year", number: 1, in: world)
    let shop = try SubscriptionYearShop(in: process, world, subscribers: subscribers, seed: seed)
    process.spawn { await shop.engine.run() }
    shop.startStore(in: process)
    let (seed, subscribers) = (seed, subscribers)
    let end = world.now + .days(Int64(days))
    process.spawn { await SubscriberCrowd(shop, process, seed: seed, subscribers: subscribers, until: end).live() }
    process.spawn { await NotificationWeather(shop, seed: seed).change(until: end) }
    for day in 1...days {
      world.run(for: .days(1))
      progress(day)
    }
    // All actions and faults are over: late notifications arrive, and the comparison finds lost ones.
    try world.perform(in: process) { try await NotificationWeather.clear(shop) }
    world.run(for: .days(9))
    let judge = SubscriptionYearJudge(shop)
    var report = try world.perform(in: process) { try await judge.report() }
    report.steps = world.steps
    if world.escapedJobs > 0 { report.problems.append("\(world.escapedJobs) jobs left the world") }
    return report
  }
}
