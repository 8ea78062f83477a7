import AppStoreSimulator
import Foundation
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import TestPlatform
import Testing

/// The alerts of a running server, with a receiver on a real socket.
@Suite struct `The alerts of a running server` {
  private static func told(_ receiver: WebhookReceiver) -> [String] {
    receiver.attempts.flatMap { attempt in
      (attempt.json["alerts"]?.array ?? []).map {
        "\($0["change"]?.string ?? "") \($0["rule"]?.string ?? "") \($0["subject"]?.string ?? "")"
      }
    }
  }

  /// Adds a channel to the shop's configuration.
  private static func add(_ receiver: WebhookReceiver, to shop: Shop) throws {
    try Files.replace(shop.folder + "/alerts.url", with: Array("http://127.0.0.1:\(receiver.port)/alerts".utf8))
    let channel = """

      [[alerts]]
      name = "on-call"
      kind = "webhook"
      url = { file = "alerts.url" }
      secret = { file = "webhook.secret" }
      may_be_inside = true
      after = "2s"
      severity = "page"

      """
    let text = String(decoding: try Files.read(shop.configuration, bytesMax: 1 << 20), as: UTF8.self)
    try Files.replace(shop.configuration, with: Array((text + channel).utf8))
  }

  @Test(.timeLimit(.minutes(6)))
  func `tell of a dead endpoint once, also over a restart, and then that it is over`() async throws {
    let deliveries = try freePort()
    try await withFolder { folder in
      let shop = try await Shop.open(in: folder, apps: [ShopApp(id: "shop", webhook: deliveries)])
      defer { shop.close() }
      let receiver = try WebhookReceiver(secret: shop.webhookSecret)
      defer { receiver.stop() }
      try Self.add(receiver, to: shop)
      let made = try await counterfoil(
        "keys", "create", "--kind", "operator", "--label", "tests", "--app", "shop", "--json", in: folder)
      let operatorKey = try JSONReader.read(made.output.utf8)["key"]?.string ?? ""
      try await shop.start()
      let order = try await shop.ask(
        "POST", "/v1/orders",
        body: .members([("productId", "coins.100"), ("store", "appStore"), ("userId", "alice@example.com")]))
      let bought = try await shop.buy(order: order.json["id"]?.string, account: "a")
      let paid = try await shop.ask(
        "POST", "/v1/payments/app-store",
        body: .members([("evidence", .string(bought.signedTransaction)), ("userId", "alice@example.com")]))
      #expect(paid.json["payments"]?.array?.first?["verdict"] == "fulfilled")
      let subject = "CounterfoilUndelivered shop/simulated"
      #expect(try await eventually(tries: 9000) { !Self.told(receiver).isEmpty })
      #expect(Self.told(receiver) == ["started " + subject])
      #expect(try await shop.stop() == 0)

      try await shop.start()
      #expect(!(try await eventually(tries: 2000) { Self.told(receiver).count > 1 }))
      let down = try WebhookReceiver(port: deliveries, secret: shop.webhookSecret)
      defer { down.stop() }
      let pending = try await shop.ask("GET", "/v1/deliveries?state=pending")
      for id in (pending.json["deliveries"]?.array ?? []).compactMap({ $0["id"]?.string }) {
        _ = try await shop.call(
          "POST", "/v1/operator/deliveries/\(id)/redrive", body: nil, credential: operatorKey)
      }
      #expect(try await eventually(tries: 9000) { Self.told(receiver).count > 1 })
      #expect(Self.told(receiver) == ["started " + subject, "ended " + subject])
      for attempt in receiver.attempts {
        #expect(attempt.isSigned && attempt.body.contains("docs/alerts.md#counterfoilundelivered"))
        let names = ["alice", order.json["id"]?.string ?? "none", bought.transaction.id.text]
        for personal in names { #expect(!attempt.body.contains(personal), "\(attempt.body)") }
      }
      let metrics = try await shop.exchange.send(HTTPRequest("GET", shop.address + "/metrics"), .seconds(10))
      #expect(
        String(decoding: metrics.body, as: UTF8.self).contains(
          "counterfoil_alert_messages_total{channel=\"on-call\",result=\"taken\"} 1\n"))
      #expect(try await shop.stop() == 0)
    }
  }

  @Test(.timeLimit(.minutes(3)))
  func `have a command that sends a test to one channel`() async throws {
    try await withShop { shop in
      let receiver = try WebhookReceiver(secret: shop.webhookSecret)
      defer { receiver.stop() }
      try Self.add(receiver, to: shop)
      let sent = try await counterfoil(
        "alerts", "test", "--channel", "on-call", "--config", "counterfoil.toml", in: shop.folder)
      #expect(sent.code == 0 && sent.output == "on-call (webhook): taken. HTTP 204\n", "\(sent.output)\(sent.errors)")
      #expect(receiver.attempts.map(\.isSigned) == [true])
      #expect(receiver.attempts.first?.json["type"] == "alerts.test")
    }
  }
}
