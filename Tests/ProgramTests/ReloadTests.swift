import AppStoreSimulator
import Cryptography
import Foundation
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import TestPlatform
import Testing

/// `SIGHUP` makes a running server read its configuration again.
@Suite struct `A reload of the configuration` {
  private static func change(_ shop: Shop, _ from: String, _ to: String) throws {
    let text = String(decoding: try Files.read(shop.configuration, bytesMax: 1 << 20), as: UTF8.self)
    #expect(text.contains(from))
    try Files.replace(shop.configuration, with: Array(text.replacing(from, with: to).utf8))
  }

  /// Asks for a reload and waits for its word in the log.
  private static func reload(_ shop: Shop, until event: String) async throws -> Bool {
    let before = count(event, shop)
    shop.process?.signal(SIGHUP)
    return try await eventually { count(event, shop) > before }
  }

  private static func count(_ event: String, _ shop: Shop) -> Int {
    (shop.process?.errors ?? "").split(separator: "\n").count { $0.contains("\"\(event)\"") }
  }

  private static func metrics(_ shop: Shop) async throws -> String {
    let answer = try await shop.exchange.send(HTTPRequest("GET", shop.address + "/metrics"), .seconds(20))
    return String(decoding: answer.body, as: UTF8.self)
  }

  private static func amount(_ shop: Shop, of user: String) async throws -> Int64? {
    let order = try await shop.ask(
      "POST", "/v1/orders",
      body: .members([("productId", "coins.100"), ("store", "appStore"), ("userId", .string(user))]))
    let bought = try await shop.buy(order: order.json["id"]?.string, account: user)
    _ = try await shop.ask(
      "POST", "/v1/payments/app-store",
      body: .members([("evidence", .string(bought.signedTransaction)), ("userId", .string(user))]))
    let balances = try await shop.ask("GET", "/v1/users/\(user)/balances")
    return balances.json["balances"]?.array?.first?["amount"]?.integer
  }

  @Test(.timeLimit(.minutes(5)))
  func `with an error leaves the old one in force, and says line and column`() async throws {
    try await withShop { shop in
      try await shop.start()
      try Self.change(shop, "amount = 100", "amount = \"many\"")
      #expect(try await Self.reload(shop, until: "configuration.refused"))
      let line = try #require(
        (shop.process?.errors ?? "").split(separator: "\n").first { $0.contains("configuration.refused") })
      #expect(try /counterfoil\.toml:\d+:\d+/.firstMatch(in: line) != nil, "\(line)")
      #expect(try await Self.metrics(shop).contains("counterfoil_config_reload_successful 0\n"))
      #expect(try await Self.amount(shop, of: "alice") == 100)
      // A product that was bought is not dropped.
      try Self.change(shop, "amount = \"many\"", "amount = 100")
      try Self.change(shop, "id = \"coins.100\"", "id = \"coins.other\"")
      #expect(try await Self.reload(shop, until: "configuration.refused"))
      #expect(try await Self.amount(shop, of: "bob") == 100)
      try Self.change(shop, "id = \"coins.other\"", "id = \"coins.100\"")
      #expect(try await Self.reload(shop, until: "configuration.reloaded"))
      let isGood = try await eventually {
        try await Self.metrics(shop).contains("counterfoil_config_reload_successful 1\n")
      }
      #expect(isGood)
      #expect(try await shop.stop() == 0)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `gives the new amount for new orders, and refuses no call meanwhile`() async throws {
    try await withShop { shop in
      try await shop.start()
      #expect(try await Self.amount(shop, of: "alice") == 100)
      try Self.change(shop, "amount = 100", "amount = 250")
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<4 {
          group.addTask {
            var failed = 0
            for _ in 0..<100 where try await shop.ask("GET", "/v1/users/alice/balances").status != 200 { failed += 1 }
            return failed
          }
        }
        for _ in 0..<5 { #expect(try await Self.reload(shop, until: "configuration.reloaded")) }
        for try await failed in group { #expect(failed == 0) }
      }
      #expect(try await Self.amount(shop, of: "bob") == 250)
      #expect(Self.count("configuration.needsRestart", shop) == 0)
      try Self.change(shop, "port = \(shop.port)", "port = 1")
      #expect(try await Self.reload(shop, until: "configuration.needsRestart"))
      #expect(shop.process?.errors.contains("\"changed\":\"port\"") == true, "\(shop.process?.errors ?? "")")
      #expect(try await shop.ask("GET", "/v1/users/alice/balances").status == 200)
      #expect(try await shop.stop() == 0)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `takes a new key of user tokens, and refuses tokens of one that is gone`() async throws {
    try await withShop { shop in
      try await shop.start()
      let before = shop.token(for: "alice")
      let path = "/v1/entitlements"
      #expect(try await shop.call("GET", path, body: nil, credential: before).status == 200)
      try Files.replace(shop.folder + "/user-token.secret", with: Array(repeating: 0x61, count: 64))
      #expect(try await Self.reload(shop, until: "configuration.reloaded"))
      let gone = try await eventually(tries: 300) {
        try await shop.call("GET", path, body: nil, credential: before).status == 401
      }
      #expect(gone)
      #expect(try await shop.stop() == 0)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `sends deliveries to the new address of an endpoint, signed with its new secret`() async throws {
    let (first, second) = (try freePort(), try freePort())
    try await withShop(apps: [ShopApp(id: "game", webhook: first)]) { shop in
      let old = try WebhookReceiver(port: first, secret: shop.webhookSecret)
      defer { old.stop() }
      let secret = [UInt8](repeating: 7, count: 32)
      let new = try WebhookReceiver(port: second, secret: secret)
      defer { new.stop() }
      try await shop.start()
      #expect(try await Self.amount(shop, of: "alice") == 100)
      #expect(try await eventually { old.attempts.count == 1 })
      try Files.replace(shop.folder + "/webhook.secret", with: Array(("whsec_" + Base64.encode(secret)).utf8))
      try Self.change(shop, "127.0.0.1:\(first)/", "127.0.0.1:\(second)/")
      #expect(try await Self.reload(shop, until: "configuration.reloaded"))
      #expect(Self.count("configuration.needsRestart", shop) == 0)
      #expect(try await Self.amount(shop, of: "bob") == 100)
      #expect(try await eventually { new.attempts.count == 1 })
      #expect(new.attempts.allSatisfy { $0.isSigned } && old.attempts.count == 1)
      #expect(try await shop.stop() == 0)
    }
  }
}
