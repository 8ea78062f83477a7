import CounterfoilCLI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Measures reports of revenue over many payments.
struct RevenueBench: Sendable {
  private static let perCommit = 1000
  private static let days = 30
  private static let products = 20
  private static let firstDay = "2026-03-01"
  private static let lastDay = "2026-03-30"

  let settings: BenchRevenueCommand.Settings
  private let shop: FulfilShop
  private let platform: Platform

  init(_ settings: BenchRevenueCommand.Settings, _ platform: Platform) throws {
    self.settings = settings
    self.platform = platform
    shop = try FulfilShop(platform)
  }

  struct Measured: Sendable {
    let name: String
    /// Of the fastest round.
    var milliseconds: UInt64
    /// How much the process had grown by after the last round.
    var grownBytes: Int
    var rows: Int
  }

  /// - Throws: `CommandFailure` if a report lacks a payment.
  func run() async throws -> [Measured] {
    try platform.files.makeFolder(settings.folder)
    let path = settings.folder + "/revenue.db"
    let isFilled = settings.keepsDatabase && platform.folders.size(path) != nil
    if !isFilled { try platform.removeDatabase(at: path) }
    let open = try await shop.open(path)
    guard let days = ReportDays(from: Self.firstDay, to: Self.lastDay) else { throw CommandFailure("No such days.") }
    if !isFilled { try await fill(open.engine, days.span) }
    var measured: [Measured] = []
    let kinds: [(String, Set<RevenueReport.Dimension>)] = [
      ("a month", []), ("by day", [.day]), ("by day and product", [.day, .product]),
    ]
    for (name, dimensions) in kinds {
      measured.append(
        try await measure(
          name, RevenueReport.Request(days, by: dimensions, in: FulfilShop.appEnvironment), on: open.engine)
      )
    }
    await open.database.close()
    if !settings.keepsDatabase { try platform.removeDatabase(at: path) }
    return measured
  }

  private func measure(
    _ name: String, _ request: RevenueReport.Request, on engine: PaymentEngine
  ) async throws -> Measured {
    var fastest = UInt64.max
    var rows = 0
    let before = platform.machine.residentBytes() ?? 0
    for _ in 0..<settings.rounds {
      let start = platform.monotonicNanoseconds()
      let report = try await engine.readRevenueReport(request, of: shop.policy).json
      fastest = min(fastest, UInt64(platform.monotonicNanoseconds() - start) / 1_000_000)
      rows = report["rows"]?.array?.count ?? 0
      let sold = (report["totals"]?.array ?? []).reduce(0) { $0 + ($1["sales"]?["count"]?.integer ?? 0) }
      guard sold == settings.payments else { throw CommandFailure("The report has \(sold) payments.") }
    }
    return Measured(
      name: name, milliseconds: fastest, grownBytes: max(0, (platform.machine.residentBytes() ?? 0) - before),
      rows: rows)
  }

  private func fill(_ engine: PaymentEngine, _ span: Range<Timestamp>) async throws {
    let length = (span.upperBound - span.lowerBound).milliseconds
    var first = 0
    while first < settings.payments {
      let numbers = first..<min(first + Self.perCommit, settings.payments)
      let payments = numbers.map { number in
        payment(number, at: span.lowerBound + .milliseconds(length * Int64(number) / Int64(settings.payments)))
      }
      try await engine.transact { transaction in for payment in payments { try transaction.insert(payment) } }
      first = numbers.upperBound
    }
  }

  private func payment(_ number: Int, at moment: Timestamp) -> Payment {
    let store: Store = number.isMultiple(of: 2) ? .appStore : .weChatPay
    let id = GrownBench.transaction(number)
    var facts = VerifiedPayment(
      key: PaymentKey(app: FulfilShop.app, store: store, environment: .simulated, transaction: id),
      originalTransaction: id, storeProduct: StoreProductIdentifier("com.example.p\(number % Self.products)"),
      kind: .consumable, quantity: 1, purchaseDate: moment, signedDate: moment)
    facts.price = StatedPrice(milliunits: 6000, currency: "CNY")
    if store == .weChatPay { facts.merchant = "1900000001" }
    var payment = Payment(facts: facts, firstSeenAt: moment)
    payment.state = .fulfilled
    return payment
  }
}
