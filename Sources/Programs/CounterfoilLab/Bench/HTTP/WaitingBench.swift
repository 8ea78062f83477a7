import CounterfoilAPI
import CounterfoilCLI
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import SQLiteDatabase

/// What calls cost that wait for their orders while nothing happens. They are answered in this process, without
/// sockets: few systems have descriptors for so many.
struct WaitingBench: Sendable {
  /// As many as one user may have waiting.
  private static let callsPerOrder = 8
  private static let started = 64
  private static let settle = TimeSpan.seconds(1)
  private static let look = TimeSpan.seconds(6)
  private static let patience = 600

  private let options: BenchHTTPCommand.Settings
  private let shop: FulfilShop
  private let platform: Platform

  init(_ options: BenchHTTPCommand.Settings, _ platform: Platform) throws {
    self.options = options
    self.platform = platform
    shop = try FulfilShop(platform)
  }

  func run(into report: BenchReport) async throws {
    let path = options.folder + "/waiting.db"
    try platform.removeDatabase(at: path)
    let open = try await shop.open(path, waitingReadsMax: options.waiting)
    do {
      let orders = (options.waiting + Self.callsPerOrder - 1) / Self.callsPerOrder
      let paid = try await PaidPurchases.make(orders, at: .appStore, shop, open: open, ordersPerUser: 1)
      try await measure(paid, open, into: report)
      await open.database.close()
      if let difference = try await FulfilReconciliation.difference(path, paid: 1, shop) {
        throw CommandFailure("the waiting calls do not reconcile: \(difference).")
      }
    } catch {
      await open.database.close()
      throw error
    }
    try platform.removeDatabase(at: path)
  }

  /// A call waits for 25 s at most. If the first ones ended while the bench looks, their last reads would count as the
  /// price of waiting.
  private func requireQuickStart(_ nanoseconds: UInt64) throws {
    let seconds = Double(nanoseconds) / 1e9
    guard seconds < 15 else {
      throw CommandFailure(
        "starting the waiting calls took \(Int(seconds)) s, and 15 s is the most: use fewer, or a quieter machine.")
    }
  }

  private func measure(_ paid: PaidPurchases, _ open: OpenShop, into report: BenchReport) async throws {
    let idle = try await busyShare()
    let memory = platform.machine.residentBytes()
    let (paidAnswers, otherAnswers) = (Tally(), Tally())
    try await withThrowingTaskGroup(of: Void.self) { group in
      let server = open.server
      let begun = platform.processorNanoseconds()
      let start = platform.monotonicNanoseconds()
      for number in 0..<options.waiting {
        let request = request(number, paid)
        group.addTask {
          let status = await server.respond(to: request, from: "127.0.0.1").status
          if status == 200 { paidAnswers.add() } else { otherAnswers.add() }
        }
        // Each reading connection answers in order: once these reads are answered, those before them have been.
        if number % Self.started == 0 { try await drainReads(open) }
      }
      try await drainReads(open)
      try await platform.dependencies.sleep(Self.settle)
      try requireQuickStart(platform.monotonicNanoseconds() - start)
      let starting = Double(platform.processorNanoseconds() - begun) / 1000 / Double(options.waiting)
      let waiting = try await busyShare()
      let held = platform.machine.residentBytes()
      guard paidAnswers.count == 0, otherAnswers.count == 0 else {
        throw CommandFailure(
          "calls that should wait were answered: \(paidAnswers.count) with 200, \(otherAnswers.count) otherwise.")
      }
      let wakened = try await pay(paid, open, counting: paidAnswers)
      report.note(
        "\(options.waiting) calls of GET /v1/orders/{orderId}?wait=25 wait in this process, \(Self.callsPerOrder) for "
          + "each order; all stay unpaid for \(Self.look.milliseconds / 1000) s, then one is paid.")
      report.detail("µs of processor time a second while they wait, all together", Ratios([waiting * 1e6]))
      report.detail("µs of processor time a second without them", Ratios([idle * 1e6]))
      report.detail("µs of processor time until such a call waits", Ratios([starting]))
      if let memory, let held {
        report.detail(
          "kB of memory for a waiting call", Ratios([Double(held - memory) / 1024 / Double(options.waiting)]))
      }
      report.detail("µs from the payment until the calls of its order are answered", Ratios([wakened]))
      group.cancelAll()
    }
  }

  private func request(_ number: Int, _ paid: PaidPurchases) -> HTTPRequest {
    let order = paid.orders[number / Self.callsPerOrder]
    let bearer = TokenCommand.issue(
      for: order.user.text, of: FulfilShop.app, kid: FulfilShop.tokenKey, shop.tokenSecret, at: shop.clock.now,
      for: .minutes(10))
    return HTTPRequest(
      "GET", "\(CreateOrder.path)/\(order.key.id)?wait=25", fields: ["Authorization": "Bearer " + bearer])
  }

  /// Waits for a read on each reading connection, in turn.
  private func drainReads(_ open: OpenShop) async throws {
    for _ in 0..<FulfilShop.readersCount { try await open.database.read { _ in } }
  }

  /// Pays the first order, and returns how long its calls waited for their answer, in microseconds.
  private func pay(
    _ paid: PaidPurchases, _ open: OpenShop, counting answered: Tally
  ) async throws -> Double {
    let start = platform.monotonicNanoseconds()
    let response = await open.server.respond(to: paid.calls[0], from: "127.0.0.1")
    guard response.status == 200 else { throw CommandFailure("the payment was answered \(response.status).") }
    let waiters = min(Self.callsPerOrder, options.waiting)
    for _ in 0..<Self.patience {
      if answered.count >= waiters { return Double(platform.monotonicNanoseconds() - start) / 1000 }
      try await platform.dependencies.sleep(.milliseconds(1))
    }
    throw CommandFailure("the calls of a paid order were not answered.")
  }

  /// The processor time that this process uses a second, as a share of one core.
  private func busyShare() async throws -> Double {
    let (wall, processor) = (platform.monotonicNanoseconds(), platform.processorNanoseconds())
    try await platform.dependencies.sleep(Self.look)
    return Double(platform.processorNanoseconds() - processor) / Double(platform.monotonicNanoseconds() - wall)
  }
}
