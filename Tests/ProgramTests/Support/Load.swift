import AppStoreSimulator
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization
import SystemPlatform

/// Customers who order and pay concurrently over real sockets, and remember the server's answers. They retry until a
/// dead server answers: no purchase is abandoned.
final class Load: Sendable {
  /// The server's answers about one purchase.
  struct Fact: Sendable {
    let order: String
    let user: String
    /// The transaction of the store's charge.
    var transaction: String?
    /// Whether the server reported the grant.
    var isFulfilled = false
  }

  private struct State {
    var facts: [String: Fact] = [:]
    /// The newest order of each customer.
    var newest: [Int: String] = [:]
    /// The orders with facts that have changed since the last check.
    var unchecked: Set<String> = []
    var isOver = false
    var isPaused = false
    var problems: [String] = []
    var refusals: [String] = []
  }

  private let shop: Shop
  private let customers: Int
  private let name: String
  private let state = Mutex(State())

  /// - Parameter name: part of the names of its users; two loads of one shop need different ones.
  init(_ shop: Shop, customers: Int, name: String = "user") {
    self.shop = shop
    self.customers = customers
    self.name = name
  }

  /// All answers.
  var facts: [Fact] { state.withLock { $0.facts.values.sorted { $0.order < $1.order } } }
  /// The answers about the newest purchase of each customer.
  var latest: [Fact] { state.withLock { state in state.newest.values.sorted().compactMap { state.facts[$0] } } }
  /// Answers that no server should give.
  var problems: [String] { state.withLock { $0.problems } }
  /// The calls that were made again because the server was dead, starting or overloaded.
  var refusals: [String] { state.withLock { $0.refusals } }

  /// The answers since the last call.
  func newFacts() -> [Fact] {
    state.withLock { state in
      defer { state.unchecked = [] }
      return state.unchecked.sorted().compactMap { state.facts[$0] }
    }
  }

  /// While paused, no customer starts a purchase.
  func pause(_ isPaused: Bool) { state.withLock { $0.isPaused = isPaused } }

  /// Lets every customer finish the current purchase; no customer starts another.
  func end() {
    state.withLock {
      $0.isOver = true
      $0.isPaused = false
    }
  }

  /// Whether no customer starts another purchase.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Runs until `end` is called and all are done.
  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for customer in 0..<customers {
        group.addTask { [self] in
          var number = 0
          while !state.withLock({ $0.isOver }) {
            guard !state.withLock({ $0.isPaused }) else {
              try await Dependencies.system.sleep(.milliseconds(10))
              continue
            }
            try await purchase(customer, number)
            number += 1
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private func purchase(_ customer: Int, _ number: Int) async throws {
    // A user may send twenty requests a second, so each customer is many users.
    let user = "\(name)-\(customer)-\(number / 20)"
    let token = shop.token(for: user)
    let key = "\(name)-\(customer)-\(number)"
    let created = try await insist("order \(key)", until: [200, 201]) { [shop] in
      try await shop.call(
        "POST", "/v1/orders", body: .members([("productId", "coins.100"), ("store", "appStore"), ("platform", "ios")]),
        credential: token, idempotencyKey: key)
    }
    guard let order = created?["id"]?.string else { return }
    change(order) { $0 = $0 ?? Fact(order: order, user: user) }
    state.withLock { $0.newest[customer] = order }
    let bought = try await shop.buy(order: order, account: "account-\(key)")
    change(order) { $0?.transaction = bought.transaction.id.text }
    // Every third phone sends nothing more: only the notification reports its payment.
    guard number % 3 != 2 else { return }
    let answer = try await insist("payment \(key)", until: [200]) { [shop] in
      try await shop.call(
        "POST", "/v1/payments/app-store",
        body: .members([("evidence", .string(bought.signedTransaction)), ("orderIds", .array([.string(order)]))]),
        credential: token)
    }
    let payment = answer?["payments"]?.array?.first
    guard payment?["verdict"]?.string == "fulfilled", payment?["orderId"]?.string == order else {
      return note("payment \(key) was answered \(answer?.text ?? "nothing")")
    }
    change(order) { $0?.isFulfilled = true }
  }

  /// Retries while the server is dead, starting or overloaded.
  private func insist(
    _ what: String, until statuses: Set<Int>, _ ask: () async throws -> (status: Int, json: JSONValue)
  ) async throws -> JSONValue? {
    for _ in 0..<ProgramProcess.patience {
      do {
        let answer = try await ask()
        if statuses.contains(answer.status) { return answer.json }
        guard answer.status == 429 || answer.status == 503 else {
          note("\(what) was answered \(answer.status): \(answer.json.text)")
          return nil
        }
        state.withLock { $0.refusals.append("\(what): \(answer.status)") }
      } catch let error as HTTPExchangeError {
        state.withLock { $0.refusals.append("\(what): \(error)") }
      }
      try await Dependencies.system.sleep(.milliseconds(10))
    }
    note("\(what) was never answered")
    return nil
  }

  private func change(_ order: String, _ body: (inout Fact?) -> Void) {
    state.withLock { state in
      body(&state.facts[order])
      state.unchecked.insert(order)
    }
  }

  private func note(_ problem: String) { state.withLock { $0.problems.append(problem) } }
}
