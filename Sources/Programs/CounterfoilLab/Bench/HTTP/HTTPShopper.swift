import CounterfoilAPI
import CounterfoilCLI
import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import StrictJSON

/// The client of `bench http`: a separate process that buys, submits, polls and sends the store's notifications. So the
/// processor time of the measured process is the server's alone.
struct HTTPShopper: Sendable {
  /// What the client must know of the fixture; it makes the keys of the simulated App Store itself.
  struct Order: Sendable {
    let now: Timestamp
    let tokenSecret: Secret
    /// The number of the first purchase: none occurs twice.
    let first: Int
    let count: Int
    let connections: Int

    var json: JSONValue {
      .members([
        ("now", .integer(now.milliseconds)), ("secret", .string(Base64.encode(tokenSecret.withBytes { Array($0) }))),
        ("first", .integer(first)), ("count", .integer(count)), ("connections", .integer(connections)),
      ])
    }

    init(now: Timestamp, tokenSecret: Secret, first: Int, count: Int, connections: Int) {
      self.now = now
      self.tokenSecret = tokenSecret
      self.first = first
      self.count = count
      self.connections = connections
    }

    init?(json: JSONValue) {
      guard let now = json["now"]?.integer, let secret = json["secret"]?.string.flatMap({ Base64.decode($0) }),
        let first = json["first"]?.integer, let count = json["count"]?.integer,
        let connections = json["connections"]?.integer
      else { return nil }
      self.init(
        now: Timestamp(milliseconds: now), tokenSecret: Secret(secret), first: Int(first), count: Int(count),
        connections: Int(connections))
    }
  }

  /// What became of a purchase on its way through the phases.
  private struct Purchase: Sendable {
    let number: Int
    let bearer: String
    var order = ""
    var transaction = ""
    var notification = ""
  }

  private static let timeLimit = TimeSpan.seconds(60)
  /// How many orders of a user are open at a time; the engine allows five of one product.
  private static let ordersPerUser = 2

  private let order: Order
  private let address: String
  private let chain: SigningChain
  private let exchange: HTTPExchange
  private let platform: Platform

  /// Runs all phases, and writes their latencies beside the file that describes them.
  static func work(_ path: String, to address: String, _ platform: Platform) async throws -> Int32 {
    guard let bytes = try platform.files.read(path, 1 << 20), let order = Order(json: try JSONReader.read(bytes)) else {
      throw CommandFailure("\(path) describes no purchases.")
    }
    let shopper = HTTPShopper(
      order: order, address: address, chain: FulfilShop.chain(at: order.now),
      exchange: try platform.exchange(.anywhere), platform: platform)
    let report = try await shopper.run()
    try platform.files.replace(path + ".report", report.bytes)
    return ExitCode.done
  }

  private func run() async throws -> JSONValue {
    var latencies: [(String, JSONValue?)] = []
    var purchases = purchases(from: order.first)
    // Connections are opened, and everything is used once, before the first phase.
    _ = try await inParallel(purchases) { purchase in try await step(.livez, &purchase) }
    for phase in HTTPPhase.allCases {
      if phase == .purchases { purchases = self.purchases(from: order.first + order.count) }
      // What the client must sign is made before the phase begins.
      if phase == .submit || phase == .notification { purchases = try await signed(purchases, for: phase) }
      try await mark(phase, "begin")
      let (after, times) = try await inParallel(purchases) { purchase in try await step(phase, &purchase) }
      try await mark(phase, "end")
      purchases = after
      latencies.append((phase.rawValue, .array(times.map { .integer(Int64($0)) })))
    }
    return .members(latencies)
  }

  private func purchases(from first: Int) -> [Purchase] {
    (first..<(first + order.count)).map { number in
      Purchase(
        number: number,
        bearer: TokenCommand.issue(
          for: "user-\(number / Self.ordersPerUser)", of: FulfilShop.app, kid: FulfilShop.tokenKey,
          order.tokenSecret, at: order.now, for: .minutes(10)))
    }
  }

  private func mark(_ phase: HTTPPhase, _ end: String) async throws {
    _ = try await send(HTTPRequest("POST", address + HTTPPhase.marks + phase.rawValue + "/" + end), expecting: 204)
  }

  // MARK: The calls

  private func step(_ phase: HTTPPhase, _ purchase: inout Purchase) async throws {
    switch phase {
    case .livez: _ = try await send(HTTPRequest("GET", address + "/livez"), expecting: 200)
    case .echo: _ = try await send(HTTPRequest("GET", address + HTTPPhase.echoTarget), expecting: 200)
    case .order: try await placeOrder(&purchase)
    case .submit: try await submit(purchase)
    case .poll: try await poll(purchase)
    case .notification: try await notify(purchase)
    case .purchases:
      try await placeOrder(&purchase)
      sign(&purchase, for: .submit)
      try await submit(purchase)
      try await poll(purchase)
      sign(&purchase, for: .notification)
      try await notify(purchase)
    }
  }

  private func placeOrder(_ purchase: inout Purchase) async throws {
    let body = JSONValue.members([
      ("productId", "coins.100"), ("store", "appStore"), ("platform", "ios"),
      ("metadata", .members([("server", "cn-7"), ("role", .members([("id", .integer(purchase.number))]))])),
    ])
    let request = HTTPRequest(
      "POST", address + CreateOrder.path, fields: ["Authorization": "Bearer " + purchase.bearer], json: body)
    let answer = try await send(request, expecting: 201)
    guard let id = try JSONReader.read(answer.body)["id"]?.string else { throw CommandFailure("an order has no id.") }
    purchase.order = id
  }

  private func submit(_ purchase: Purchase) async throws {
    let request = HTTPRequest(
      "POST", address + SubmitAppStorePayment.path, fields: ["Authorization": "Bearer " + purchase.bearer],
      json: .members([("evidence", .string(purchase.transaction))]))
    let answer = try await send(request, expecting: 200)
    let verdict = try JSONReader.read(answer.body)["payments"]?.array?.first?["verdict"]?.string
    guard verdict == "fulfilled" else {
      throw CommandFailure("a payment was answered \(verdict ?? "without a verdict").")
    }
  }

  private func poll(_ purchase: Purchase) async throws {
    let request = HTTPRequest(
      "GET", address + CreateOrder.path + "/" + purchase.order, fields: ["Authorization": "Bearer " + purchase.bearer])
    let answer = try await send(request, expecting: 200)
    guard try JSONReader.read(answer.body)["state"]?.string == "paid" else {
      throw CommandFailure("an order that was paid is not shown as paid.")
    }
  }

  private func notify(_ purchase: Purchase) async throws {
    let request = HTTPRequest(
      "POST", address + "/notifications/app-store", json: .members([("signedPayload", .string(purchase.notification))]))
    _ = try await send(request, expecting: 200)
  }

  // MARK: What the store signs

  private func sign(_ purchase: inout Purchase, for phase: HTTPPhase) {
    if phase == .submit {
      purchase.transaction = chain.sign(PaidPurchases.payload(purchase.number, token: purchase.order, at: order.now))
      return
    }
    let data = JSONValue.members([
      ("appAppleId", .integer(1)), ("bundleId", .string(FulfilShop.bundleId)), ("bundleVersion", "1"),
      ("environment", "Sandbox"), ("signedTransactionInfo", .string(purchase.transaction)),
    ])
    purchase.notification = chain.sign(
      .members([
        ("notificationType", "ONE_TIME_CHARGE"), ("version", "2.0"),
        ("notificationUUID", .string("9f6a3c1e-0000-4000-8000-\("\(1_000_000_000_000 + purchase.number)".suffix(12))")),
        ("signedDate", .integer(order.now.milliseconds)), ("data", data),
      ]))
  }

  private func signed(_ purchases: [Purchase], for phase: HTTPPhase) async throws -> [Purchase] {
    try await inParallel(purchases) { purchase in sign(&purchase, for: phase) }.purchases
  }

  // MARK: Sending

  private func send(_ request: HTTPRequest, expecting status: Int) async throws -> HTTPResponse {
    let answer = try await exchange.send(request, Self.timeLimit)
    guard answer.status == status else {
      let text = String(decoding: answer.body.prefix(300), as: UTF8.self)
      throw CommandFailure("\(request.method) \(request.target) was answered \(answer.status): \(text)")
    }
    return answer
  }

  /// Does a step for each purchase, and returns how long each took, in nanoseconds.
  private func inParallel(
    _ purchases: [Purchase], _ step: @escaping @Sendable (inout Purchase) async throws -> Void
  ) async throws -> (purchases: [Purchase], times: [UInt64]) {
    let turns = Turns(purchases.count)
    typealias Done = (turn: Int, purchase: Purchase, time: UInt64)
    let all = try await withThrowingTaskGroup(of: [Done].self) { group in
      for _ in 0..<min(order.connections, purchases.count) {
        group.addTask {
          var done: [Done] = []
          while let turn = turns.next() {
            var purchase = purchases[turn]
            let start = platform.monotonicNanoseconds()
            try await step(&purchase)
            done.append((turn, purchase, platform.monotonicNanoseconds() - start))
          }
          return done
        }
      }
      return try await group.reduce(into: [Done]()) { $0 += $1 }
    }
    let sorted = all.sorted { $0.turn < $1.turn }
    return (sorted.map(\.purchase), sorted.map(\.time))
  }
}
