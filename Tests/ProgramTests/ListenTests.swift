import AppStoreSimulator
import Cryptography
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import TestPlatform
import TestTier
import Testing

@Suite struct `counterfoil listen` {
  private static let rounds = Tier.among(test: 2, check: 8, night: 30)

  private static func listen(_ shop: Shop, to url: String, _ more: [String] = []) throws -> ProgramProcess {
    try ProgramProcess(
      ["listen", "--forward", url, "--server", shop.address] + more, in: shop.folder,
      environment: ["COUNTERFOIL_SECRET_KEY": shop.keys["game"] ?? "", "XDG_CONFIG_HOME": shop.folder + "/config"])
  }

  private static func secret(_ shop: Shop) throws -> (text: String, bytes: [UInt8]) {
    let bytes = try Files.read(shop.folder + "/config/counterfoil/listen.json", bytesMax: 1 << 20)
    let text = try JSONReader.read(bytes)["secret"]?.string ?? ""
    return (text, Base64.decode(String(text.dropFirst(6))) ?? [])
  }

  private static func buy(_ shop: Shop, _ number: Int) async throws -> String {
    let user = JSONValue.string("user-\(number)")
    let order = try await shop.ask(
      "POST", "/v1/orders",
      body: .members([("productId", "coins.100"), ("store", "appStore"), ("userId", user)]))
    let bought = try await shop.buy(order: order.json["id"]?.string, account: "a\(number)")
    let paid = try await shop.ask(
      "POST", "/v1/payments/app-store",
      body: .members([("evidence", .string(bought.signedTransaction)), ("userId", user)]))
    guard paid.json["payments"]?.array?.first?["verdict"]?.string == "fulfilled" else {
      throw ShopError("\(paid.json.text)")
    }
    return bought.transaction.id.text
  }

  /// A shop that also makes events, with its server started.
  private static func withListenedShop(_ body: @escaping @Sendable (Shop) async throws -> Void) async throws {
    try await withShop { shop in
      let text = String(decoding: try Files.read(shop.configuration, bytesMax: 1 << 20), as: UTF8.self)
      let parts = text.split(separator: "bundle_id = ", maxSplits: 1)
      try #require(parts.count == 2)
      try Files.replace(shop.configuration, with: Array(parts.joined(separator: "events = true\nbundle_id = ").utf8))
      try await shop.start()
      try await body(shop)
    }
  }

  /// Runs it until it is quiet, and returns the lines that it printed after the secret.
  private static func forward(_ shop: Shop, to url: String, _ more: [String] = []) async throws -> [String] {
    let process = try listen(shop, to: url, ["--until-quiet"] + more)
    #expect(try await process.end() == 0, "\(process.errors)")
    let lines = process.output.split(separator: "\n").map(String.init)
    let secret = try Self.secret(shop).text
    #expect(lines.first == secret)
    return Array(lines.dropFirst())
  }

  /// A receiver with the secret that the first start made.
  private static func receiver(
    _ shop: Shop, _ manner: WebhookReceiver.Manner = .acknowledges
  ) async throws -> (receiver: WebhookReceiver, url: String) {
    let port = try freePort()
    let url = "http://127.0.0.1:\(port)/hook"
    #expect(try await Self.forward(shop, to: url) == [], "what came before the first start is not forwarded")
    return (try WebhookReceiver(port: port, secret: Self.secret(shop).bytes, manner), url)
  }

  private static func types(_ receiver: WebhookReceiver) -> [String] {
    receiver.attempts.compactMap { $0.json["type"]?.string }
  }

  // MARK: refusals

  @Test func `refuses a wrong call, and a key that the server does not know`() async throws {
    try await withShop { shop in
      try await shop.start()
      for words in [
        [], ["--forward", "ftp://x"], ["--forward", "http://x", "--since", "yesterday"],
        ["--forward", "http://x", "--since", "5x"], ["--forward", "http://x", "--since", "0h"],
        ["--forward", "http://x", "--since", "2026-02-30T00:00:00Z"], ["--forward", "http://x", "--app", "game"],
      ] {
        let process = try ProgramProcess(
          ["listen", "--server", shop.address] + words, in: shop.folder,
          environment: ["COUNTERFOIL_SECRET_KEY": "cfs_x", "XDG_CONFIG_HOME": shop.folder])
        #expect(try await process.end() == 2, "\(words): \(process.errors)")
      }
      let unknown = try ProgramProcess(
        ["listen", "--forward", "http://127.0.0.1:1/", "--server", shop.address], in: shop.folder,
        environment: ["COUNTERFOIL_SECRET_KEY": "cfs_x", "XDG_CONFIG_HOME": shop.folder])
      #expect(try await unknown.end() == 1 && unknown.errors.contains("credential_invalid"), "\(unknown.errors)")
    }
  }

  @Test(arguments: ["grant.made", "grant.created,renewed", "grant.created, purchase.completed", ","])
  func `--types refuses a name that no message has, and says which there are`(types: String) async throws {
    try await withFolder { folder in
      let run = try await counterfoil(
        "listen", "--forward", "http://x", "--server", "http://127.0.0.1:1", "--types", types, in: folder,
        environment: ["COUNTERFOIL_SECRET_KEY": "cfs_x", "XDG_CONFIG_HOME": folder])
      #expect(run.code == 2 && run.errors.contains("--types names "), "\(run.errors)")
      #expect(run.errors.contains("grant.reinstated") && run.errors.contains("subscription.renewed"))
    }
  }

  // MARK: what is forwarded

  @Test(.timeLimit(.minutes(5)), arguments: ["grant.created", "purchase.completed"])
  func `misses nothing although it is killed, and signs with the same secret at each start (22.4)`(
    type: String
  ) async throws {
    try await Self.withListenedShop { shop in
      let port = try freePort()
      let url = "http://127.0.0.1:\(port)/hook"
      let before = try await Self.buy(shop, 0)
      #expect(try await Self.forward(shop, to: url, ["--types", type]) == [], "nothing from before the first start")
      let secret = try Self.secret(shop)
      let receiver = try WebhookReceiver(port: port, secret: secret.bytes, .cutsAfterBooking)
      defer { receiver.stop() }
      var bought: Set<String> = []
      for round in 0..<Self.rounds {
        bought.insert(try await Self.buy(shop, 2 * round + 1))
        let running = try Self.listen(shop, to: url, ["--types", type])
        try await Dependencies.system.sleep(.milliseconds(Int64(20 * (round % 12))))
        bought.insert(try await Self.buy(shop, 2 * round + 2))
        running.kill()
      }
      _ = try await Self.forward(shop, to: url, ["--types", type, "--ack"])
      #expect(Set(receiver.transactions) == bought && receiver.transactions.count == bought.count)
      #expect(receiver.attempts.allSatisfy(\.isSigned) && !receiver.transactions.contains(before))
      #expect(Set(Self.types(receiver)) == [type])
      let kept = try Self.secret(shop).text
      #expect(kept == secret.text)
      let again = try await Self.forward(shop, to: url, ["--types", type])
      #expect(again == [], "nothing comes twice without a kill")
    }
  }

  @Test func `--types forwards those types and no others, without it the grants`() async throws {
    try await Self.withListenedShop { shop in
      let (receiver, url) = try await Self.receiver(shop)
      defer { receiver.stop() }
      _ = try await Self.buy(shop, 1)
      _ = try await Self.forward(shop, to: url, ["--since", "1h", "--types", "purchase.completed"])
      #expect(Self.types(receiver) == ["purchase.completed"])
      _ = try await Self.forward(shop, to: url, ["--since", "1h"])
      #expect(Self.types(receiver) == ["purchase.completed", "grant.created"])
      _ = try await Self.forward(shop, to: url, ["--since", "1h", "--types", "purchase.completed,grant.created"])
      #expect(Self.types(receiver).dropFirst(2).sorted() == ["grant.created", "purchase.completed"])
      _ = try await Self.forward(shop, to: url, ["--since", "1h", "--types", "order.closed"])
      #expect(receiver.attempts.count == 4)
    }
  }

  @Test func `--since forgets the place, and begins with what happened then`() async throws {
    try await Self.withListenedShop { shop in
      let (receiver, url) = try await Self.receiver(shop)
      defer { receiver.stop() }
      let first = try await Self.buy(shop, 1)
      try await Dependencies.system.sleep(.milliseconds(20))
      let moment = Dependencies.system.now().iso8601
      try await Dependencies.system.sleep(.milliseconds(20))
      let second = try await Self.buy(shop, 2)
      let types = ["--types", "grant.created,purchase.completed"]
      _ = try await Self.forward(shop, to: url, types + ["--since", moment])
      #expect(receiver.transactions == [second, second], "a delivery and an event of what was bought later")
      #expect(try await Self.forward(shop, to: url, types) == [], "the next start goes on from there")
      _ = try await Self.forward(shop, to: url, types + ["--since", "1h"])
      #expect(receiver.transactions == [first, first, second, second].sorted())
    }
  }

  @Test func `--since misses nothing behind a page of what happened shortly before`() async throws {
    try await Self.withListenedShop { shop in
      let (receiver, url) = try await Self.receiver(shop)
      defer { receiver.stop() }
      for number in 0..<50 { _ = try await Self.buy(shop, number) }
      let moment = Dependencies.system.now().iso8601
      let before = try await shop.ask("GET", "/v1/events?limit=100").json["events"]?.array?.count
      try #require(before == 100, "the test needs more than one page")
      try await Dependencies.system.sleep(.milliseconds(20))
      let bought = try await Self.buy(shop, 50)
      _ = try await Self.forward(shop, to: url, ["--types", "purchase.completed", "--since", moment])
      #expect(receiver.transactions == [bought])
    }
  }

  @Test func `--once passes over what the receiver refuses, and does not acknowledge it at the server`() async throws {
    try await Self.withListenedShop { shop in
      let (receiver, url) = try await Self.receiver(shop, .refuses(500))
      defer { receiver.stop() }
      let open = {
        try await shop.ask("GET", "/v1/deliveries?state=pending").json["deliveries"]?.array?.count
      }
      _ = try await Self.buy(shop, 1)
      let lines = try await Self.forward(shop, to: url, ["--once", "--ack"])
      #expect(lines.count == 1 && lines.allSatisfy { $0.hasPrefix("→ 500 ") } && receiver.booked.isEmpty)
      #expect(try await open() == 1, "what was refused stays open")
      #expect(try await Self.forward(shop, to: url, ["--once", "--ack"]) == [], "it is passed over")
      _ = try await Self.forward(shop, to: url, ["--since", "1h", "--ack"])
      #expect(receiver.booked.count == 1)
      #expect(try await open() == 0, "what the receiver acknowledged is acknowledged")
      _ = try await Self.buy(shop, 2)
      let both = try await Self.forward(shop, to: url)
      #expect(both.map { $0.prefix(6) } == ["→ 500 ", "→ 204 "], "without it a refused message comes again")
    }
  }

  @Test func `--print shows the body that was signed, once for each message`() async throws {
    try await Self.withListenedShop { shop in
      let (receiver, url) = try await Self.receiver(shop, .refuses(503))
      defer { receiver.stop() }
      _ = try await Self.buy(shop, 1)
      let lines = try await Self.forward(shop, to: url, ["--print"])
      let told = try #require(receiver.attempts.first)
      try #require(lines.count == 3)
      #expect(lines[0].hasPrefix("→ 503 ") && lines[0].hasSuffix(" ms grant.created \(told.id) user-1 100 coin"))
      #expect(lines[1] == told.body && told.isSigned)
      #expect(lines[2].hasPrefix("→ 204 "))
      let plain = try await Self.forward(shop, to: url, ["--since", "1h"])
      #expect(plain.count == 1 && plain.allSatisfy { $0.hasPrefix("→ 204 ") }, "otherwise one line for each attempt")
    }
  }
}
