import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// A simulated year of an app's subscribers: they subscribe, cancel, come back, change, cannot pay, are refunded; the
/// store's notifications are lost, doubled, and up to 157 hours late. At the end every right must be as the store says.
package struct SubscriptionYear: Sendable {
  package struct Report: Sendable {
    /// Subscriptions by the store's own truth.
    package var lines = 0
    /// Paid periods by the store's own truth.
    package var periods = 0
    /// How many subscriptions stand how, by the store's own truth.
    package var standing: [String: Int] = [:]
    /// Refunds and reversed refunds that the store made.
    package var refunds = 0
    /// Notifications that the store sent, and those of which every attempt was lost.
    package var notifications = 0
    /// What the comparison with the store's records put right.
    package var healed = 0
    /// Subscriptions whose right is not what the store says.
    package var differences = 0
    package var steps = 0
    /// What broke the promise, in sentences.
    package var problems: [String] = []
  }

  private let subscribers: Int
  private let days: Int
  private let seed: UInt64

  /// A year with so many subscribers, or so many days of it.
  package init(subscribers: Int, days: Int = 365, seed: UInt64) {
    self.subscribers = subscribers
    self.days = days
    self.seed = seed
  }

  /// Lets the year pass.
  ///
  /// - Parameter progress: is told the day as it passes.
  package func run(progress: @escaping @Sendable (Int) -> Void = { _ in }) throws -> Report {
    let world = SimulatedWorld(seed: seed)
    let process = SimulatedProcess("year", number: 1, in: world)
    let shop = try SubscriptionYearShop(in: process, world, subscribers: subscribers)
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
    // The crowd has gone home and the weather is fair: what is late comes, what was lost is found.
    try world.perform(in: process) { try await NotificationWeather.clear(shop) }
    world.run(for: .days(9))
    let judge = SubscriptionYearJudge(shop)
    var report = try world.perform(in: process) { try await judge.report() }
    report.steps = world.steps
    if world.escapedJobs > 0 { report.problems.append("\(world.escapedJobs) jobs left the world") }
    return report
  }
}
