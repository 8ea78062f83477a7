import CounterfoilCLI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import Synchronization

/// Erases a user with many payments in a database with a writer, while others buy.
struct EraseBench: Sendable {
  /// Phones that buy at the same time. More orders of one user than these few are never open.
  private static let phones = 4
  private static let user: UserIdentifier = "leaving"
  private static let batch = 1000
  /// More fulfilments than anybody waits for.
  private static let endless = 100_000_000

  private let settings: BenchEraseCommand.Settings
  private let grown: GrownBench
  private let platform: Platform

  init(_ settings: BenchEraseCommand.Settings, _ platform: Platform) throws {
    self.settings = settings
    self.platform = platform
    grown = try GrownBench(
      BenchGrownCommand.Settings(
        orders: settings.others, beside: 0, subscriptions: 0, measured: settings.measured, rounds: 1,
        folder: settings.folder), platform)
  }

  /// - Throws: `CommandFailure` if something of the user does not belong to the alias.
  func run() async throws -> EraseResult {
    try platform.files.makeFolder(settings.folder)
    let path = settings.folder + "/erase.db"
    try grown.remove(path)
    let open = try await grown.shop.open(path)
    let result: EraseResult
    do { result = try await measure(open.engine) } catch {
      await open.database.close()
      throw error
    }
    await open.database.close()
    try grown.remove(path)
    return result
  }

  private func measure(_ engine: PaymentEngine) async throws -> EraseResult {
    let own = settings.others..<(settings.others + settings.payments)
    let first = own.upperBound + settings.measured
    try await grown.fill(engine, orders: 0..<settings.others)
    _ = try await fulfil(own, for: Self.user, engine)
    try await acknowledge(engine)
    // The first ones fill caches, so they are not measured.
    _ = try await fulfil(own.upperBound..<first, for: nil, engine)
    let alone = try await fulfil(first..<(first + settings.measured), for: nil, engine)
    let later = (first + settings.measured)..<Self.endless
    let end = ErasureEnd()
    async let others = fulfil(later, for: nil, engine) { end.isReached }
    let start = platform.monotonicNanoseconds()
    let erased: ErasedUser
    do { erased = try await engine.eraseUser(Self.user, of: grown.shop.policy) } catch {
      end.reach()
      throw error
    }
    let span = platform.monotonicNanoseconds() - start
    end.reach()
    let beside = try await others
    try await check(erased.erasure, engine)
    guard !beside.isEmpty else { throw CommandFailure("no purchase was made during the erasure.") }
    return EraseResult(milliseconds: Int(span / 1_000_000), alone: alone, beside: beside)
  }

  /// Buys and fulfils from several phones, as one user or as a new user each time.
  ///
  /// - Returns: the nanoseconds of each fulfilment, sorted.
  private func fulfil(
    _ numbers: Range<Int>, for user: UserIdentifier?, _ engine: PaymentEngine,
    until isOver: @escaping @Sendable () -> Bool = { false }
  ) async throws -> [UInt64] {
    let turns = Turns(numbers.count)
    return try await withThrowingTaskGroup(of: [UInt64].self) { group in
      for _ in 0..<Self.phones {
        group.addTask {
          var spans: [UInt64] = []
          while !isOver(), let turn = turns.next() {
            let number = numbers.lowerBound + turn
            let buyer = user ?? UserIdentifier("other-\(number / GrownBench.ordersPerUser)")
            let order = try await grown.order("coins.100", of: buyer, engine)
            let update = grown.update(number, order, kind: .consumable)
            let start = platform.monotonicNanoseconds()
            _ = try await engine.fulfil(update, for: grown.shop.policy)
            spans.append(platform.monotonicNanoseconds() - start)
          }
          return spans
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }.sorted()
    }
  }

  /// The backend acknowledges all deliveries: an open one blocks an erasure.
  private func acknowledge(_ engine: PaymentEngine) async throws {
    let waiting = DeliveryQuery(appEnvironment: FulfilShop.appEnvironment, selection: .pending, limit: Self.batch)
    while true {
      let page = try await engine.read { try $0.deliveries(waiting) }
      guard !page.isEmpty else { return }
      try await engine.transact { transaction in
        for var delivery in page {
          delivery.state = .acknowledged(at: transaction.now)
          try transaction.update(delivery)
        }
      }
    }
  }

  private func check(_ erasure: UserErasure, _ engine: PaymentEngine) async throws {
    let units = try await engine.read { reader in
      try reader.balance(of: erasure.alias, unit: "coin", in: FulfilShop.appEnvironment)?.amount ?? 0
    }
    let violations = try await engine.auditInvariants(atRest: false).violations
    guard erasure.doneAt != nil, erasure.payments == settings.payments,
      units == Int64(settings.payments) * FulfilShop.coins, violations.isEmpty
    else {
      throw CommandFailure(
        "\(settings.payments) payments were paid, \(erasure.payments) and \(units) coins are the alias's, "
          + "\(violations.count) rules are broken.")
    }
  }
}

/// Whether the erasure has ended.
private final class ErasureEnd: Sendable {
  private let flag = Atomic(false)

  var isReached: Bool { flag.load(ordering: .acquiring) }

  func reach() { flag.store(true, ordering: .releasing) }
}
