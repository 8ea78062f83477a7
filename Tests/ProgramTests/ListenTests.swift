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

  @Test(.timeLimit(.minutes(5)))
  func `misses nothing although it is killed, and signs with the same secret at each start (22.4)`() async throws {
    try await withShop { shop in
      try await shop.start()
      let port = try freePort()
      let url = "http://127.0.0.1:\(port)/hook"
      let before = try await Self.buy(shop, 0)
      let first = try Self.listen(shop, to: url, ["--until-quiet"])
      #expect(try await first.end() == 0, "\(first.errors)")
      let secret = try Self.secret(shop)
      #expect(first.output == secret.text + "\n", "what came before the first start is not forwarded")
      let receiver = try WebhookReceiver(port: port, secret: secret.bytes, .cutsAfterBooking)
      defer { receiver.stop() }
      var bought: Set<String> = []
      for round in 0..<Self.rounds {
        bought.insert(try await Self.buy(shop, 2 * round + 1))
        let running = try Self.listen(shop, to: url)
        try await Dependencies.system.sleep(.milliseconds(Int64(20 * (round % 12))))
        bought.insert(try await Self.buy(shop, 2 * round + 2))
        running.kill()
      }
      let last = try Self.listen(shop, to: url, ["--until-quiet", "--ack"])
      #expect(try await last.end() == 0, "\(last.errors)")
      #expect(Set(receiver.transactions) == bought && receiver.transactions.count == bought.count)
      #expect(receiver.attempts.allSatisfy(\.isSigned) && !receiver.transactions.contains(before))
      #expect(last.output.hasPrefix(secret.text + "\n"))
      let again = try Self.listen(shop, to: url, ["--until-quiet"])
      #expect(try await again.end() == 0 && again.output == secret.text + "\n", "nothing comes twice without a kill")
    }
  }

  @Test func `refuses a wrong call, and a key that the server does not know`() async throws {
    try await withShop { shop in
      try await shop.start()
      for words in [
        [], ["--forward", "ftp://x"], ["--forward", "http://x", "--since", "yesterday"],
        ["--forward", "http://x", "--since", "5x"], ["--forward", "http://x", "--app", "game"],
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
}
