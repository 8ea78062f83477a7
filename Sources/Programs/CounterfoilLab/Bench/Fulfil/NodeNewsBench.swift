import CounterfoilCLI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PostgreSQLDatabase
import Synchronization

/// Measures how soon a call that waits on one node is answered after another node has granted its order.
struct NodeNewsBench: Sendable {
  let nodes: PostgreSQLFulfilBench
  /// How many orders are waited for, all at the same time.
  let count: Int
  /// How many of them are paid in a second.
  let pace: Int

  /// Both nodes listen by then, and all calls wait.
  private static let settle = TimeSpan.seconds(2)
  private static let patience = TimeSpan.minutes(2)
  private static let ordersAtOnce = 256
  private static let pauseBetweenCalls = TimeSpan.milliseconds(200)

  /// Moments on the clock that only goes forward, for each order.
  private final class Moments: Sendable {
    private let state: Mutex<[UInt64]>

    init(_ count: Int) { state = Mutex(Array(repeating: 0, count: count)) }

    func set(_ index: Int, _ moment: UInt64) { state.withLock { $0[index] = moment } }
    var all: [UInt64] { state.withLock { $0 } }
  }

  func run(into report: BenchReport) async throws {
    let milliseconds = try await nodes.withNode("news") { _, granting in
      try await nodes.withNode("news") { _, waiting in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for open in [granting, waiting] { group.addTask { await open.engine.run() } }
          let milliseconds = try await measure(granting, waiting)
          group.cancelAll()
          return milliseconds
        }
      }
    }
    let sorted = milliseconds.sorted()
    report.note(
      "\(count) calls wait for their orders on one node; another grants \(pace) of them in a second. All are answered.")
    report.detail("ms from the commit on one node to the answer on the other, median", Ratios([at(0.5, sorted)]))
    report.detail("the same, p99 (asked: at most 150)", Ratios([at(0.99, sorted)]))
  }

  private func at(_ share: Double, _ sorted: [Double]) -> Double {
    sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
  }

  private func measure(_ granting: OpenShop, _ waiting: OpenShop) async throws -> [Double] {
    let (shop, platform) = (nodes.shop, nodes.platform)
    let purchases = try await PaidPurchases.make(
      count, at: .appStore, shop, open: granting, ordersPerUser: 1, atOnce: Self.ordersAtOnce)
    let (granted, answered) = (Moments(count), Moments(count))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, order) in purchases.orders.enumerated() {
        group.addTask {
          let details = try await waiting.engine.readOrder(
            .id(order.key.id), in: [order.key.appEnvironment], of: order.user, waiting: Self.patience, until: .paid)
          guard details.payment != nil else { throw CommandFailure("a waiting call was not told of the grant.") }
          answered.set(index, platform.monotonicNanoseconds())
        }
        // A node refuses more first reads at once than it has room for.
        if index % Self.ordersAtOnce == 0 { try await platform.dependencies.sleep(Self.pauseBetweenCalls) }
      }
      try await platform.dependencies.sleep(Self.settle)
      let start = platform.monotonicNanoseconds()
      for index in purchases.update.indices {
        let due = start + UInt64(index) * 1_000_000_000 / UInt64(pace)
        while platform.monotonicNanoseconds() < due { try await platform.dependencies.sleep(.milliseconds(1)) }
        group.addTask {
          _ = try await granting.engine.fulfil(purchases.update[index], for: shop.policy)
          granted.set(index, platform.monotonicNanoseconds())
        }
      }
      try await group.waitForAll()
    }
    return zip(granted.all, answered.all).map { Double($1 > $0 ? $1 - $0 : 0) / 1_000_000 }
  }
}
