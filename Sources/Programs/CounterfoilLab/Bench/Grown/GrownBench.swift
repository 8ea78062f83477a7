import CounterfoilCLI
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import SQLiteDatabase

/// Measures the same work on three databases in turn: a grown one, a smaller one, and one that contains only that work.
struct GrownBench: Sendable {
  /// Enough concurrent callers to fill the current commit and the next one.
  private static let callers = 1024
  private static let connections = 64
  /// Orders per user, on average.
  static let ordersPerUser = 4

  let options: BenchGrownCommand.Settings
  let shop: FulfilShop
  let platform: Platform

  init(_ options: BenchGrownCommand.Settings, _ platform: Platform) throws {
    self.options = options
    self.platform = platform
    shop = try FulfilShop(platform)
  }

  /// The measurements, round by round.
  struct Result {
    /// The cost of the grown database relative to another, in processor time.
    struct Ratio {
      var fulfilments: [Double] = []
      var questions: [Double] = []
    }

    /// Relative to the smaller database.
    var small = Ratio()
    /// Relative to the database that was empty.
    var empty = Ratio()
    var grown: [FulfilCost] = []
    var grownQuestions: [FulfilCost] = []
  }

  /// One of the databases, with its size before the measurement.
  private struct Database {
    let path: String
    let open: OpenShop
    let orders: Int
    let subscriptions: Int
  }

  /// - Throws: `CommandFailure` if a database does not reconcile: the figures are then invalid.
  func run() async throws -> Result {
    try platform.files.makeFolder(options.folder)
    // Each has enough subscribers for the requests of a round.
    let sizes = [
      ("grown", options.orders, options.subscriptions), ("small", options.beside, max(1000, options.beside / 10)),
      ("empty", 0, 1000),
    ]
    var databases: [Database] = []
    for (name, orders, subscriptions) in sizes {
      let path = options.folder + "/" + name + ".db"
      try remove(path)
      let open = try await shop.open(path)
      databases.append(Database(path: path, open: open, orders: orders, subscriptions: subscriptions))
      try await fill(open.engine, orders: 0..<orders)
      try await subscribe(open.engine, subscriptions: 0..<subscriptions)
    }
    var result = Result()
    for round in 0..<options.rounds {
      let first = options.orders + round * options.measured
      let turn = first..<(first + options.measured)
      let fulfilments = try await inTurn(databases, round) { try await measureFulfilling($0.open.engine, turn) }
      let questions = try await inTurn(databases, round) { try await measureAsking($0, round) }
      result.grown.append(fulfilments[0])
      result.grownQuestions.append(questions[0])
      result.small.add(fulfilments, questions, against: 1)
      result.empty.add(fulfilments, questions, against: 2)
    }
    let made = options.rounds * options.measured
    for database in databases {
      await database.open.database.close()
      try await reconcile(database.path, payments: database.orders + database.subscriptions + made)
      try remove(database.path)
    }
    return result
  }

  func remove(_ database: String) throws {
    try platform.removeDatabase(at: database)
  }

  // MARK: Work

  /// Creates this many orders, and pays them.
  func fill(_ engine: PaymentEngine, orders: Range<Int>) async throws {
    try await inParallel(orders) { number in
      let order = try await self.order("coins.100", of: UserIdentifier("user-\(number / Self.ordersPerUser)"), engine)
      _ = try await engine.fulfil(self.update(number, order, kind: .consumable), for: self.shop.policy)
    }
  }

  private func subscribe(_ engine: PaymentEngine, subscriptions: Range<Int>) async throws {
    try await inParallel(subscriptions) { number in
      let order = try await self.order("club", of: Self.subscriber(number), engine)
      _ = try await engine.fulfil(
        self.update(1_000_000_000 + number, order, kind: .autoRenewable), for: self.shop.policy)
    }
  }

  private static func subscriber(_ number: Int) -> UserIdentifier { UserIdentifier("subscriber-\(number)") }

  private func measureFulfilling(_ engine: PaymentEngine, _ numbers: Range<Int>) async throws -> FulfilCost {
    var update: [PaymentUpdate] = []
    for number in numbers {
      let order = try await order("coins.100", of: UserIdentifier("user-\(number / Self.ordersPerUser)"), engine)
      update.append(self.update(number, order, kind: .consumable))
    }
    let ready = update
    return try await measure {
      try await inParallel(0..<ready.count) { turn in
        _ = try await engine.fulfil(ready[turn], for: self.shop.policy)
      }
    }
  }

  /// Requests the entitlements of subscribers in all parts of the database, each with the subscriber's own token.
  private func measureAsking(_ database: Database, _ round: Int) async throws -> FulfilCost {
    let first = round * options.measured
    let calls = (first..<(first + options.measured)).map { turn in
      // A step without a common divisor gives an order that no cache can predict.
      let bearer = TokenCommand.issue(
        for: Self.subscriber(turn * 7919 % database.subscriptions).text, of: FulfilShop.app, kid: FulfilShop.tokenKey,
        shop.tokenSecret, at: shop.clock.now, for: .minutes(10))
      return HTTPRequest("GET", "/v1/entitlements", fields: ["Authorization": "Bearer " + bearer])
    }
    let path = options.folder + "/asked"
    try LoadClient.write(calls, to: path, platform)
    let server = database.open.server
    let cost = try await LoadServer.measure((path, calls.count), connections: Self.connections, platform) {
      await server.respond(to: $0, from: $1)
    }
    for suffix in ["", ".report"] { try platform.files.remove(path + suffix) }
    return cost
  }

  static func transaction(_ number: Int) -> TransactionIdentifier {
    TransactionIdentifier("\(20_000_009_000_000_000 + number)")
  }

  func order(
    _ product: ProductIdentifier, of user: UserIdentifier, _ engine: PaymentEngine
  ) async throws -> Order {
    // Orders do not all arrive in one millisecond: their ids begin with the time, and time advances.
    shop.clock.advance()
    let request = OrderRequest(user: user, product: product, quantity: 1, store: .appStore)
    return try await engine.createOrder(request, for: shop.policy, by: .user(user)).order.order
  }

  /// The update of the App Store about a paid order, with evidence as large as a signed transaction.
  func update(_ number: Int, _ order: Order, kind: ProductKind) -> PaymentUpdate {
    let id = Self.transaction(number)
    let now = shop.clock.now
    var facts = VerifiedPayment(
      key: PaymentKey(app: FulfilShop.app, store: .appStore, environment: .simulated, transaction: id),
      originalTransaction: id, storeProduct: order.product.appStoreProducts[0], kind: kind, quantity: 1,
      purchaseDate: now, signedDate: now)
    facts.token = order.key.id
    facts.appTransaction = "70460254\(number / Self.ordersPerUser)"
    if kind == .autoRenewable { facts.expiresDate = now + .days(30) }
    var update = PaymentUpdate(
      facts: facts, evidence: id.text + String(repeating: "e", count: 3000), origin: .notification)
    if kind == .autoRenewable {
      update.renewal = VerifiedRenewal(subscription: facts.originalKey, signedDate: now, willRenew: true)
    }
    return update
  }

  // MARK: Measuring

  /// The cost for each database. Each round begins with a different database, because a measurement can slow down the
  /// next one.
  private func inTurn(
    _ databases: [Database], _ round: Int, _ cost: (Database) async throws -> FulfilCost
  ) async throws -> [FulfilCost] {
    let first = round % databases.count
    var costs: [FulfilCost] = []
    for database in databases[first...] + databases[..<first] { costs.append(try await cost(database)) }
    return Array(costs[(costs.count - first)...] + costs[..<(costs.count - first)])
  }

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
    let (wall, processor) = (platform.monotonicNanoseconds(), platform.processorNanoseconds())
    try await work()
    return FulfilCost(
      count: options.measured, wall: platform.monotonicNanoseconds() - wall,
      processor: platform.processorNanoseconds() - processor)
  }

  private func reconcile(_ path: String, payments: Int) async throws {
    let database = try await SQLiteReader.open(
      path: path, profile: .simulated, on: ThreadExecutor(), now: shop.dependencies.now)
    let report: AuditReport
    do {
      report = try await PaymentAudit(atRest: true).run(on: database)
    } catch {
      await database.close()
      throw error
    }
    await database.close()
    let fulfilled = report.paymentsByState["fulfilled"] ?? 0
    guard report.violations.isEmpty, report.payments == payments, fulfilled == payments else {
      throw CommandFailure(
        "\(path) does not reconcile: \(payments) were paid, \(report.payments) are known, \(fulfilled) fulfilled, "
          + "\(report.violations.count) rules are broken.")
    }
  }
}

extension GrownBench.Result.Ratio {
  mutating func add(_ costs: [FulfilCost], _ asked: [FulfilCost], against other: Int) {
    fulfilments.append(costs[0].microseconds / costs[other].microseconds)
    questions.append(asked[0].microseconds / asked[other].microseconds)
  }
}

extension GrownBench.Result {
  func print(to report: BenchReport, _ settings: BenchGrownCommand.Settings) {
    report.note(
      "\(settings.orders) paid orders and \(settings.subscriptions) subscriptions, "
        + "beside \(settings.beside) and beside none; "
        + "\(settings.rounds) rounds of \(settings.measured) in turn. All three reconcile, and the audit finds nothing."
    )
    let beside = "against \(settings.beside) orders (processor time)"
    report.row(.grownFulfilment, "a fulfilment there, \(beside)", ratios: Ratios(small.fulfilments))
    report.row(.grownQuestion, "GET /v1/entitlements there, \(beside)", ratios: Ratios(small.questions))
    report.detail("a fulfilment there, against an empty database", Ratios(empty.fulfilments))
    report.detail("GET /v1/entitlements there, against an empty database", Ratios(empty.questions))
    report.detail("µs of processor time for a fulfilment there", Ratios(grown.map(\.microseconds)))
    report.detail("µs of processor time for a question there", Ratios(grownQuestions.map(\.microseconds)))
  }
}
