import CounterfoilCLI
import PaymentDatabase
import PaymentPrimitives
import PostgreSQLDatabase
import SQLiteDatabase

/// Measures the engine's half of row 5: paid purchases are fulfilled on PostgreSQL, each round in a new schema.
struct PostgreSQLFulfilBench: Sendable {
  /// The connections that write: with the measuring program on the same two cores, more bring nothing.
  static let writersCount = 4

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

  /// Measures all rounds.
  ///
  /// - Throws: `CommandFailure` if a run does not reconcile: its figures are then invalid.
  func run(into report: BenchReport) async throws {
    var rounds: [(cost: FulfilCost, roundTrips: Int)] = []
    for number in 0..<options.rounds { rounds.append(try await round(number)) }
    report.note(
      "\(options.store.rawValue): \(options.orders) paid purchases, fulfilled on PostgreSQL in each of "
        + "\(options.rounds) rounds. All runs reconcile: paid = granted = deliveries made, nothing doubled, the audit "
        + "finds nothing.")
    report.detail("a second by the engine on PostgreSQL", Ratios(rounds.map(\.cost.perSecond)))
    report.detail(
      "µs of processor time for a fulfilment, without the server's", Ratios(rounds.map(\.cost.microseconds)))
    report.detail(
      "round trips for a fulfilment", Ratios(rounds.map { Double($0.roundTrips) / Double(options.orders) }))
  }

  private func round(_ number: Int) async throws -> (FulfilCost, Int) {
    var settings = PostgreSQLSettings(
      address: address, profile: .simulated, monotonicNanoseconds: platform.monotonicNanoseconds)
    settings.password = platform.environment("PGPASSWORD")
    settings.schema = "bench_\(platform.processIdentifier)_\(number)"
    let database = try await PostgreSQLDatabase.open(
      settings, dependencies: shop.dependencies,
      writers: (0..<Self.writersCount).map { _ in ThreadExecutor() },
      readers: (0..<FulfilShop.readersCount).map { _ in ThreadExecutor() }, listener: ThreadExecutor())
    do {
      let open = try await shop.assemble(database)
      let purchases = try await PaidPurchases.make(options.orders, at: options.store, shop, open: open)
      let before = database.roundTrips
      let cost = try await FulfilBench.fulfil(purchases, with: options, in: open, of: shop, on: platform)
      let roundTrips = database.roundTrips - before
      if let difference = try await FulfilReconciliation.difference(in: database, paid: options.orders) {
        throw CommandFailure("the engine on PostgreSQL does not reconcile: \(difference).")
      }
      await database.close()
      return (cost, roundTrips)
    } catch {
      await database.close()
      throw error
    }
  }
}
