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
    /// Of both processes.
    var sum: Double { cost.microseconds + (server ?? 0) }
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
          let run = try await fulfil(options.orders, from: 0, in: database, open)
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

  /// Measures how the cost grows: fulfils until a schema has so many orders, then beside them and in a new schema, in
  /// turn. One run alone varies by more than the growth that is looked for.
  func grow(to count: Int, into report: BenchReport) async throws {
    let pairs = try await withNode("growth") { database, open in
      var paid = 0
      while paid < count { paid += try await fulfil(options.orders, from: paid, in: database, open).cost.count }
      var pairs: [(few: Run, many: Run)] = []
      for number in 0..<options.rounds {
        let isFirst = number.isMultiple(of: 2)
        var many = isFirst ? try await fulfil(options.orders, from: paid, in: database, open) : nil
        let few = try await fulfilInNewSchema("few_\(number)")
        if !isFirst { many = try await fulfil(options.orders, from: paid, in: database, open) }
        paid += options.orders
        if let many { pairs.append((few, many)) }
      }
      try await requireReconciled(database, paid: paid)
      return pairs
    }
    report.note(
      "\(options.store.rawValue): \(options.orders) paid purchases in a new schema, and beside \(count) fulfilled "
        + "orders, in turn in \(options.rounds) rounds. All runs reconcile.")
    if pairs.contains(where: { $0.few.server == nil }) {
      report.note("The server's processor time is not known: its role may not read it.")
    }
    report.detail("µs of processor time in a new schema, the server's included", Ratios(pairs.map(\.few.sum)))
    report.detail("µs of processor time beside \(count) orders", Ratios(pairs.map(\.many.sum)))
    report.detail("times the cost in a new schema", Ratios(pairs.map { $0.many.sum / $0.few.sum }))
  }

  /// Fulfils in a schema of its own, after a smaller part that fills caches and prepares statements.
  private func fulfilInNewSchema(_ name: String) async throws -> Run {
    try await withNode(name) { database, open in
      let warm = max(1, options.orders / 5)
      _ = try await fulfil(warm, from: 0, in: database, open)
      let run = try await fulfil(options.orders, from: warm, in: database, open)
      try await requireReconciled(database, paid: warm + options.orders)
      return run
    }
  }

  // MARK: Runs

  private func fulfil(
    _ count: Int, from first: Int, in database: PostgreSQLDatabase, _ open: OpenShop
  ) async throws -> Run {
    let purchases = try await PaidPurchases.make(
      count, at: options.store, shop, open: open, from: first, atOnce: Self.ordersAtOnce)
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
