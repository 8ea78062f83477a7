import CounterfoilCLI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase

/// Measures what an operator reads from a grown database: a search by each key, the story of an order, and lists.
struct SearchBench: Sendable {
  /// What is asked, for the goal of 20 ms.
  static let goalMilliseconds = 20.0
  /// An order number that Apple named for each of so many payments.
  private static let orderNumbers = 1000

  let settings: BenchSearchCommand.Settings
  private let grown: GrownBench
  private let platform: Platform

  init(_ settings: BenchSearchCommand.Settings, _ platform: Platform) throws {
    self.settings = settings
    self.platform = platform
    grown = try GrownBench(
      BenchGrownCommand.Settings(
        orders: settings.orders, beside: 0, subscriptions: 0, measured: settings.measured, rounds: 1,
        folder: settings.folder), platform)
  }

  /// The milliseconds of each read of one kind.
  struct Timing: Sendable {
    let name: String
    let sorted: [Double]

    func share(_ percent: Int) -> Double { sorted[min(sorted.count - 1, sorted.count * percent / 100)] }
  }

  func run() async throws -> [Timing] {
    try platform.files.makeFolder(settings.folder)
    let path = settings.folder + "/search.db"
    let isFilled = settings.keepsDatabase && platform.folders.size(path) != nil
    if !isFilled { try grown.remove(path) }
    let open = try await grown.shop.open(path)
    if !isFilled { try await grown.fill(open.engine, orders: 0..<settings.orders) }
    let timings = try await measure(open.engine)
    await open.database.close()
    if !settings.keepsDatabase { try grown.remove(path) }
    return timings
  }

  /// What is searched for: of payments all over the database, in an order that no cache predicts.
  private struct Sample: Sendable {
    let payment: Payment
    let delivery: Delivery?
  }

  private func samples(_ engine: PaymentEngine) async throws -> [Sample] {
    let keys = (0..<settings.measured).map { turn in
      PaymentKey(
        app: FulfilShop.app, store: .appStore, environment: .simulated,
        transaction: GrownBench.transaction(turn * 7919 % settings.orders))
    }
    return try await engine.read { reader in
      try keys.compactMap { key in
        try reader.payment(key).map { Sample(payment: $0, delivery: try reader.deliveries(of: key).first) }
      }
    }
  }

  private func measure(_ engine: PaymentEngine) async throws -> [Timing] {
    let samples = try await samples(engine)
    guard samples.count == settings.measured else { throw CommandFailure("A payment of the database is missing.") }
    for (number, sample) in samples.prefix(Self.orderNumbers).enumerated() {
      try await engine.transact {
        try $0.noteOrderNumber(Self.orderNumber(number), of: sample.payment.key, at: $0.now)
      }
    }
    var timings: [Timing] = []
    for (name, term) in Self.terms {
      timings.append(
        try await time("search: " + name) { turn in
          let text = term(samples[turn], turn)
          guard let term = SearchTerm(text) else { throw CommandFailure("\(text) is no term.") }
          let hits = try await engine.search(term, in: grown.shop.policy).hits
          // The orders are made within minutes: more than one hour of a support code tells apart. It reads all it may.
          guard name == "support code" || hits.isEmpty == (name == "nothing") else {
            throw CommandFailure("A search by \(name) is wrong.")
          }
        })
    }
    return try await timings + stories(engine, samples) + lists(engine)
  }

  private static func orderNumber(_ number: Int) -> String { "MK5TTT" + String(10_000 + number % orderNumbers) }

  private static let terms: [(String, @Sendable (Sample, Int) -> String)] = [
    ("order id", { sample, _ in sample.payment.order?.description ?? "" }),
    ("support code", { sample, _ in sample.payment.order.map { SupportCode(of: $0).description } ?? "" }),
    ("user", { sample, _ in sample.payment.owner?.text ?? "" }),
    ("transaction id", { sample, _ in sample.payment.key.transaction.text }),
    ("appTransactionId", { sample, _ in sample.payment.facts.appTransaction ?? "" }),
    ("delivery", { sample, _ in sample.delivery?.id.text ?? "" }),
    ("Apple's order number", { _, turn in orderNumber(turn) }),
    ("nothing", { _, turn in "\(900_000_000_000 + turn)" }),
  ]

  private func stories(_ engine: PaymentEngine, _ samples: [Sample]) async throws -> [Timing] {
    let everywhere = grown.shop.policy.everyEnvironment
    let ids = samples.compactMap(\.payment.order)
    return [
      try await time("timeline of an order") { _ = try await engine.tellOrder(.id(ids[$0]), in: everywhere) },
      try await time("timeline of a payment") { _ = try await engine.tellPayment(samples[$0].payment.key) },
      try await time("a user") { turn in
        guard let user = samples[turn].payment.owner else { return }
        _ = try await engine.tellUser(user, in: FulfilShop.appEnvironment, orders: 20, after: nil)
      },
    ]
  }

  private func lists(_ engine: PaymentEngine) async throws -> [Timing] {
    var rare = ListFilter()
    rare.state = "closed"
    let (filter, here) = (rare, FulfilShop.appEnvironment)
    return [
      try await time("the newest 50 orders") { _ in
        _ = try await engine.listOrders(ListFilter(), in: here, after: nil, limit: 50)
      },
      try await time("orders that no row passes") { _ in
        _ = try await engine.listOrders(filter, in: here, after: nil, limit: 50)
      },
      try await time("the newest 50 payments") { _ in
        _ = try await engine.listPayments(ListFilter(), in: here, after: nil, limit: 50)
      },
      try await time("what needs attention") { _ in
        _ = try await engine.needsAttention(of: grown.shop.policy, in: [here], kinds: nil, limit: 20)
      },
    ]
  }

  private func time(_ name: String, _ read: (Int) async throws -> Void) async throws -> Timing {
    var milliseconds: [Double] = []
    for turn in 0..<settings.measured {
      let start = platform.monotonicNanoseconds()
      try await read(turn)
      milliseconds.append(Double(platform.monotonicNanoseconds() - start) / 1e6)
    }
    return Timing(name: name, sorted: milliseconds.sorted())
  }
}
