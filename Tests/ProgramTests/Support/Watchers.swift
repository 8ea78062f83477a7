import HTTPMessages
import PaymentPrimitives
import StrictJSON
import SystemPlatform

/// Backends that ask for orders and balances over all nodes, one after the other. The shop's history has the answers:
/// nobody may be told less than somebody was told before.
struct Watchers: Sendable {
  let shop: Shop
  let load: Load

  /// Asks for what the load made last, until it ends.
  func run() async throws {
    while !load.isOver {
      for fact in load.latest {
        try await Self.ask(shop, "/v1/orders/\(fact.order)")
        try await Self.ask(shop, Self.entries(of: fact.user))
      }
      try await Dependencies.system.sleep(.milliseconds(50))
    }
  }

  /// Asks for every order and balance of loads, until each is answered. Everything is told by now.
  static func readAll(_ shop: Shop, _ loads: [Load]) async throws {
    try shop.history?.rest()
    let facts = loads.flatMap(\.facts)
    for path in facts.map({ "/v1/orders/\($0.order)" }) + Set(facts.map(\.user)).sorted().map(entries(of:)) {
      var isAnswered = false
      for _ in 0..<ProgramProcess.patience where !isAnswered {
        isAnswered = try await ask(shop, path)
        if !isAnswered { try await Dependencies.system.sleep(.milliseconds(10)) }
      }
      guard isAnswered else { throw ShopError("\(path) is not answered") }
    }
  }

  private static func entries(of user: String) -> String { "/v1/users/\(user)/balances/coin/entries?limit=100" }

  /// Whether it was answered, and not put off.
  @discardableResult private static func ask(_ shop: Shop, _ path: String) async throws -> Bool {
    do {
      let status = try await shop.ask("GET", path).status
      return status != 429 && status < 500
    } catch is HTTPExchangeError { return false }
  }
}
