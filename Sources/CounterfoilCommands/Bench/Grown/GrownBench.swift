import PaymentEngine
import PaymentModel
import PaymentStore
import PaymentVocabulary
import SQLiteStore

/// Measures the same work on two databases in turn: one that has grown, and one with nothing but that work.
struct GrownBench: Sendable {
  /// As many callers at a time as fill a commit and the one to come.
  private static let callers = 1024
  /// Orders that one user has, on average.
  private static let ordersPerUser = 4

  let options: BenchGrownCommand.Settings
  let shop: FulfilShop
  let doors: Doors

  init(_ options: BenchGrownCommand.Settings, _ doors: Doors) throws {
    self.options = options
    self.doors = doors
    shop = try FulfilShop(doors)
  }

  /// What was measured, round by round.
  struct Result {
    /// A fulfilment on the grown database against one on the empty one, in processor time.
    var fulfilments: [Double] = []
    /// The same for a question for rights.
    var questions: [Double] = []
    var grown: [FulfilCost] = []
    var grownQuestions: [FulfilCost] = []
  }

  /// - Throws: `CommandFailure` when a database does not reconcile: the figures then count for nothing.
  func run() async throws -> Result {
    try doors.files.makeFolder(options.folder)
    let (grown, empty) = (options.folder + "/grown.db", options.folder + "/empty.db")
    try remove([grown, empty])
    let large = try await shop.open(grown), small = try await shop.open(empty)
    // Each database has its measured subscribers; the grown one has all the others first.
    try await fill(large.engine, orders: 0..<options.orders)
    try await subscribe(large.engine, lines: 0..<options.lines)
    try await subscribe(small.engine, lines: 0..<min(options.measured, options.lines))
    var result = Result()
    for round in 0..<options.rounds {
      let first = options.orders + round * options.measured
      let turn = first..<(first + options.measured)
      let (a, b) = (try await measureFulfilling(large.engine, turn), try await measureFulfilling(small.engine, turn))
      result.fulfilments.append(a.microseconds / b.microseconds)
      result.grown.append(a)
      let (c, d) = (
        try await measureAsking(large.engine, of: options.lines),
        try await measureAsking(small.engine, of: min(options.measured, options.lines))
      )
      result.questions.append(c.microseconds / d.microseconds)
      result.grownQuestions.append(c)
    }
    await large.store.close()
    await small.store.close()
    let made = options.rounds * options.measured
    try await reconcile(grown, payments: options.orders + options.lines + made)
    try await reconcile(empty, payments: min(options.measured, options.lines) + made)
    try remove([grown, empty])
    return result
  }

  private func remove(_ databases: [String]) throws {
    for database in databases {
      for suffix in ["", "-wal", "-shm", ".lock"] { try doors.files.remove(database + suffix) }
    }
  }

  // MARK: work

  /// Orders so many, and has them paid.
  private func fill(_ engine: PaymentEngine, orders: Range<Int>) async throws {
    try await inParallel(orders) { number in
      let order = try await self.order("coins.100", of: UserIdentifier("user-\(number / Self.ordersPerUser)"), engine)
      _ = try await engine.fulfil(self.news(number, order, kind: .consumable), for: self.shop.settings)
    }
  }

  private func subscribe(_ engine: PaymentEngine, lines: Range<Int>) async throws {
    try await inParallel(lines) { number in
      let order = try await self.order("club", of: Self.subscriber(number), engine)
      _ = try await engine.fulfil(
        self.news(1_000_000_000 + number, order, kind: .autoRenewable), for: self.shop.settings)
    }
  }

  private static func subscriber(_ number: Int) -> UserIdentifier { UserIdentifier("subscriber-\(number)") }

  private func measureFulfilling(_ engine: PaymentEngine, _ numbers: Range<Int>) async throws -> FulfilCost {
    var news: [PaymentNews] = []
    for number in numbers {
      let order = try await order("coins.100", of: UserIdentifier("user-\(number / Self.ordersPerUser)"), engine)
      news.append(self.news(number, order, kind: .consumable))
    }
    let ready = news
    return try await measure {
      try await inParallel(0..<ready.count) { turn in
        _ = try await engine.fulfil(ready[turn], for: self.shop.settings)
      }
    }
  }

  /// Asks for rights of subscribers all over the database.
  private func measureAsking(_ engine: PaymentEngine, of lines: Int) async throws -> FulfilCost {
    let count = options.measured
    return try await measure {
      for turn in 0..<count {
        // A step without a common divisor visits them in no order that a cache could guess.
        let user = Self.subscriber(turn * 7919 % lines)
        let rights = try await engine.readEntitlements(of: user, in: FulfilShop.realm)
        guard rights.first?.state == .active else { throw CommandFailure("\(user.text) has no right.") }
      }
    }
  }

  private func order(
    _ product: ProductIdentifier, of user: UserIdentifier, _ engine: PaymentEngine
  ) async throws -> Order {
    let request = OrderRequest(user: user, product: product, quantity: 1, store: .appStore)
    return try await engine.createOrder(request, for: shop.settings, by: .user(user)).order.order
  }

  /// What the App Store says of a paid order, with evidence as large as a signed transaction.
  private func news(_ number: Int, _ order: Order, kind: ProductKind) -> PaymentNews {
    let id = TransactionIdentifier("\(20_000_009_000_000_000 + number)")
    let now = shop.clock.now
    var facts = VerifiedPayment(
      key: PaymentKey(app: FulfilShop.app, store: .appStore, environment: .simulated, transaction: id),
      originalTransaction: id, storeProduct: order.product.appStoreProducts[0], kind: kind, quantity: 1,
      purchaseDate: now, signedDate: now)
    facts.token = order.key.id
    facts.appTransaction = "70460254\(number / Self.ordersPerUser)"
    if kind == .autoRenewable { facts.expiresDate = now + .days(30) }
    var news = PaymentNews(
      facts: facts, evidence: id.text + String(repeating: "e", count: 3000), origin: .notification)
    if kind == .autoRenewable { news.renewal = VerifiedRenewal(line: facts.line, signedDate: now, willRenew: true) }
    return news
  }

  // MARK: measuring

  private func inParallel(_ numbers: Range<Int>, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    let turns = Turns(numbers.count)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<min(Self.callers, numbers.count) {
        group.addTask { while let turn = turns.next() { try await body(numbers.lowerBound + turn) } }
      }
      try await group.waitForAll()
    }
  }

  private func measure(_ work: () async throws -> Void) async throws -> FulfilCost {
    let (wall, processor) = (doors.monotonicNanoseconds(), doors.processorNanoseconds())
    try await work()
    return FulfilCost(
      count: options.measured, wall: doors.monotonicNanoseconds() - wall,
      processor: doors.processorNanoseconds() - processor)
  }

  private func reconcile(_ path: String, payments: Int) async throws {
    let store = try await SQLiteReader.open(
      path: path, profile: .simulated, on: ThreadExecutor(), now: shop.surroundings.now)
    let catalog = shop.settings.catalog
    let report: AuditReport
    do {
      report = try await PaymentAudit(atRest: true) { catalog.product(for: $0.facts.storeProduct) }.run(on: store)
    } catch {
      await store.close()
      throw error
    }
    await store.close()
    let fulfilled = report.paymentsByState["fulfilled"] ?? 0
    guard report.violations.isEmpty, report.payments == payments, fulfilled == payments else {
      throw CommandFailure(
        "\(path) does not reconcile: \(payments) were paid, \(report.payments) are known, \(fulfilled) fulfilled, "
          + "\(report.violations.count) rules are broken.")
    }
  }
}

extension GrownBench.Result {
  func print(to report: BenchReport, _ settings: BenchGrownCommand.Settings) {
    report.note(
      "\(settings.orders) paid orders and \(settings.lines) subscriptions, beside an empty one; \(settings.rounds) "
        + "rounds of \(settings.measured) in turn. Both databases reconcile, and the audit finds nothing.")
    report.row(
      6, "a fulfilment there, against an empty database (processor time)", Ratios(fulfilments), atMost: 1.2, aim: 1.05)
    report.row(6, "GET /v1/entitlements there, against an empty database", Ratios(questions), atMost: 1.2, aim: 1.05)
    report.detail("µs of processor time for a fulfilment there", Ratios(grown.map(\.microseconds)))
    report.detail("µs of processor time for a question there", Ratios(grownQuestions.map(\.microseconds)))
  }
}
