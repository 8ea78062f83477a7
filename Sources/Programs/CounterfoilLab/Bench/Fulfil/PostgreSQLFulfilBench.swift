import CounterfoilCLI
import PaymentDatabase
import PaymentPrimitives
import PostgreSQLDatabase
import SQLiteDatabase

/// Measures the engine's half of row 5: paid purchases are fulfilled on PostgreSQL, each round in a new schema.
struct PostgreSQLFulfilBench: Sendable {
  /// The connections that write: with the measuring program on the same two cores, more bring nothing.
  static let writersCount = 4
  /// How many orders are made at the same time, before what is measured.
  private static let ordersAtOnce = 256

  let options: BenchFulfilCommand.Settings
  let address: String
  let shop: FulfilShop
  let platform: Platform

  init(_ options: BenchFulfilCommand.Settings, on address: String, _ platform: Platform) throws {
    self.options = options
    self.address = address
    self.platform = platform
    shop = try FulfilShop(platform)
  }

  /// What one run has cost.
  private struct Run: Sendable {
    let cost: FulfilCost
    let before: (work: PostgreSQLWork, server: ServerCost)
    let after: (work: PostgreSQLWork, server: ServerCost)

    /// Microseconds of the server's processor time for a fulfilment; nil if it is not known.
    var server: Double? {
      guard let end = after.server.processorMicroseconds, let begin = before.server.processorMicroseconds else {
        return nil
      }
      return each(end - begin)
    }
    var logBytes: Double { each(after.server.logBytes - before.server.logBytes) }
    var bytes: Double { each(after.server.bytes) }
    var roundTrips: Double { each(Int64(after.work.roundTrips - before.work.roundTrips)) }
    var perCommit: Double { Double(after.work.transactions - before.work.transactions) / commits }
    var statements: Double { Double(after.work.statements - before.work.statements) / commits }
    private var commits: Double { Double(max(1, after.work.commits - before.work.commits)) }

    private func each(_ number: Int64) -> Double { Double(number) / Double(max(cost.count, 1)) }
  }

  /// Measures all rounds.
  ///
  /// - Throws: `CommandFailure` if a run does not reconcile: its figures are then invalid.
  func run(into report: BenchReport) async throws {
    var rounds: [Run] = []
    for number in 0..<options.rounds {
      rounds.append(
        try await withNode("\(number)") { database, open in
          let run = try await fulfil(from: 0, database, open)
          try await requireReconciled(database, paid: options.orders)
          return run
        })
    }
    report.note(
      "\(options.store.rawValue): \(options.orders) paid purchases, fulfilled on PostgreSQL in each of "
        + "\(options.rounds) rounds. All runs reconcile: paid = granted = deliveries made, nothing doubled, the audit "
        + "finds nothing.")
    report.detail("a second by the engine on PostgreSQL", Ratios(rounds.map(\.cost.perSecond)))
    report.detail(
      "µs of processor time for a fulfilment, without the server's", Ratios(rounds.map(\.cost.microseconds)))
    let servers = rounds.compactMap(\.server)
    if !servers.isEmpty { report.detail("µs of the server's processor time for a fulfilment", Ratios(servers)) }
    report.detail("transactions in a commit", Ratios(rounds.map(\.perCommit)))
    report.detail("statements for a commit, questions included", Ratios(rounds.map(\.statements)))
    report.detail("round trips for a fulfilment", Ratios(rounds.map(\.roundTrips)))
    report.detail("bytes of WAL for a fulfilment", Ratios(rounds.map(\.logBytes)))
    report.detail("bytes of the schema for a fulfilled order", Ratios(rounds.map(\.bytes)))
  }

  /// Measures how the cost grows: fulfils until the schema has so many orders.
  func grow(to count: Int, into report: BenchReport) async throws {
    let costs = try await withNode("growth") { database, open in
      var costs: [(orders: Int, microseconds: Double, server: Double?)] = []
      // The first part fills caches and prepares statements; it counts for nothing.
      for first in stride(from: 0, to: max(count, 3 * options.orders), by: options.orders) {
        let run = try await fulfil(from: first, database, open)
        costs.append((first, run.cost.microseconds, run.server))
      }
      try await requireReconciled(database, paid: costs.count * options.orders)
      return costs
    }
    let few = costs[1]
    let sums = costs.map { $0.microseconds + ($0.server ?? 0) }
    report.note(
      "\(options.store.rawValue): \(options.orders) paid purchases at a time, until one schema has "
        + "\(costs.count * options.orders) fulfilled orders. The run reconciles.")
    for (cost, sum) in zip(costs, sums).dropFirst() {
      report.detail("µs of processor time beside \(cost.orders) orders, the server's included", Ratios([sum]))
    }
    if few.server == nil { report.note("The server's processor time is not known: its role may not read it.") }
    // One part alone varies by more than the growth that is looked for.
    let part = max(1, (costs.count - 1) / 4)
    let (begin, end) = (Ratios(Array(sums[1...part])), Ratios(Array(sums.suffix(part))))
    report.detail("times the cost of the first quarter costs the last one", Ratios([end.median / begin.median]))
  }

  // MARK: Runs

  private func fulfil(from first: Int, _ database: PostgreSQLDatabase, _ open: OpenShop) async throws -> Run {
    let purchases = try await PaidPurchases.make(
      options.orders, at: options.store, shop, open: open, from: first, atOnce: Self.ordersAtOnce)
    let before = (database.work, try await database.serverCost())
    let cost = try await FulfilBench.fulfil(purchases, with: options, in: open, of: shop, on: platform)
    return Run(cost: cost, before: before, after: (database.work, try await database.serverCost()))
  }

  private func requireReconciled(_ database: PostgreSQLDatabase, paid: Int) async throws {
    if let difference = try await FulfilReconciliation.difference(in: database, paid: paid) {
      throw CommandFailure("the engine on PostgreSQL does not reconcile: \(difference).")
    }
  }

  /// Opens a node over a schema of this run.
  func withNode<Value: Sendable>(
    _ name: String, _ body: (PostgreSQLDatabase, OpenShop) async throws -> Value
  ) async throws -> Value {
    var settings = PostgreSQLSettings(
      address: address, profile: .simulated, monotonicNanoseconds: platform.monotonicNanoseconds)
    settings.password = platform.environment("PGPASSWORD")
    settings.schema = "bench_\(platform.processIdentifier)_\(name)"
    let database = try await PostgreSQLDatabase.open(
      settings, dependencies: shop.dependencies,
      writers: (0..<Self.writersCount).map { _ in ThreadExecutor() },
      readers: (0..<FulfilShop.readersCount).map { _ in ThreadExecutor() }, listener: ThreadExecutor())
    do {
      let value = try await body(database, try await shop.assemble(database))
      await database.close()
      return value
    } catch {
      await database.close()
      throw error
    }
  }
}
