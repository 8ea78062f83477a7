import Foundation
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import TestPlatform
import TestSubprocess
import Testing

/// A simulated WeChat Pay as a process, with the keys of a merchant in its folder.
private struct WeChatPayProcess {
  static let merchant = "/merchants/1900000001"

  let shop: Shop
  let port: UInt16
  let process: ProgramProcess

  static func start(for shop: Shop) async throws -> WeChatPayProcess {
    let port = try freePort()
    let process = try ProgramProcess(
      ["simulator", "--data", shop.folder + "/simulator", "--port", "\(port)"], in: shop.folder)
    let started = WeChatPayProcess(shop: shop, port: port, process: process)
    guard try await eventually({ (try? await started.call("GET", Self.merchant + "s"))?.status != nil }) else {
      throw ShopError("the simulator did not start: \(process.errors)")
    }
    return started
  }

  func read(_ name: String) throws -> String {
    String(decoding: try Files.read(shop.folder + "/simulator/wechat-pay/" + name, bytesMax: 1 << 16), as: UTF8.self)
  }

  func call(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> HTTPResponse {
    var request = HTTPRequest(method, "http://127.0.0.1:\(port)/simulator/wechat-pay" + path)
    if let body {
      request.body = body.bytes
      request.fields.set("Content-Type", "application/json")
    }
    return try await shop.exchange.send(request, .seconds(20))
  }

  /// Tells the merchant platform which certificates the merchant has.
  func setCertificates(_ certificates: [JSONValue]) async throws {
    let answer = try await call(
      "PUT", Self.merchant,
      .members([
        ("mchid", "1900000001"), ("certificates", .array(certificates)),
        ("testAPIv3Key", .string(try read("apiv3.key"))),
        ("appids", .array(["wx0000000000000001", "wx0000000000000002"])),
      ]))
    guard answer.status == 200 else { throw ShopError(String(decoding: answer.body, as: UTF8.self)) }
  }
}

/// Orders at WeChat Pay, one after the other, until they are stopped.
private actor Orders {
  private(set) var done = 0
  private(set) var failures: [String] = []
  private var isOver = false

  func end() { isOver = true }

  func run(_ shop: Shop, customer: Int) async throws {
    var number = 0
    while !isOver {
      number += 1
      let answer = try await shop.ask(
        "POST", "/v1/orders",
        body: .members([
          ("productId", "coins.100"), ("store", "weChatPay"), ("platform", "android"),
          ("userId", .string("user-\(customer)-\(number)")),
        ]))
      // Without WeChat Pay's answer there is nothing that a phone could pay.
      let isGood = answer.status == 201 && answer.json["weChatPay"]?["prepayId"]?.string != nil
      if isGood { done += 1 } else { failures.append("\(answer.status) \(answer.json.text)") }
    }
  }

  /// Waits for so many more orders, or for one that failed.
  nonisolated func more(_ count: Int) async throws -> Bool {
    let aim = await done + count
    return try await eventually {
      let (done, failures) = (await self.done, await self.failures)
      return done >= aim || !failures.isEmpty
    }
  }
}

@Suite struct `A change of the merchant's key beside a running server` {
  private static let newSerial = "5157F09EFDC096DE15EBE81A47057A7200000099"

  private static func configuration(_ weChatPay: WeChatPayProcess, keys: String) throws -> String {
    let facts = try JSONReader.read(Array(try weChatPay.read("merchant.json").utf8))
    return """
      wechat_price_fen = 600
      [app.wechat_pay]
      mchid = "1900000001"
      api_v3_keys = [{ file = "simulator/wechat-pay/apiv3.key" }]
      appid = "wx0000000000000001"
      notify_origin = "https://counterfoil.invalid"
      hosts = ["http://127.0.0.1:\(weChatPay.port)"]
      \(keys)
      [[app.wechat_pay.public_key]]
      id = "\(facts["publicKeyId"]?.string ?? "")"
      file = "simulator/wechat-pay/pub_key.pem"

      """
  }

  private static let oldKeys = """
    private_key = { file = "simulator/wechat-pay/apiclient_key.pem" }
    certificate_file = "simulator/wechat-pay/apiclient_cert.pem"
    """
  private static let newKeys = """
    private_key = { file = "new-key.pem" }
    certificate_serial = "\(newSerial)"
    """

  @Test(.timeLimit(.minutes(5)))
  func `loses no order, from the first reload until the old key is revoked and gone`() async throws {
    try await withShop { shop in
      let weChatPay = try await WeChatPayProcess.start(for: shop)
      defer { weChatPay.process.kill() }
      let openssl = "/usr/bin/env"
      try await OtherProgram.run(openssl, ["openssl", "genrsa", "-out", shop.folder + "/new-key.pem", "2048"])
      try await OtherProgram.run(
        openssl,
        ["openssl", "rsa", "-in", shop.folder + "/new-key.pem", "-pubout", "-out", shop.folder + "/new-public.pem"])
      let base = String(decoding: try Files.read(shop.configuration, bytesMax: 1 << 20), as: UTF8.self)
      let write = { (keys: String) in
        let text = base + (try Self.configuration(weChatPay, keys: keys))
        try Files.replace(shop.configuration, with: Array(text.utf8))
      }
      let count = { (event: String) in
        (shop.process?.errors ?? "").split(separator: "\n").count { $0.contains("\"\(event)\"") }
      }
      let reload = {
        let before = count("configuration.reloaded")
        shop.process?.signal(SIGHUP)
        let isDone = try await eventually { count("configuration.reloaded") > before }
        #expect(isDone, "\(shop.process?.errors ?? "")")
      }
      let old = JSONValue.members([("certificate", .string(try weChatPay.read("apiclient_cert.pem")))])
      let publicKey = try Files.read(shop.folder + "/new-public.pem", bytesMax: 1 << 16)
      let new = JSONValue.members([
        ("serial", .string(Self.newSerial)), ("publicKey", .string(String(decoding: publicKey, as: UTF8.self))),
      ])
      try write(Self.oldKeys)
      try await shop.start()
      let orders = Orders()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for customer in 0..<3 { group.addTask { try await orders.run(shop, customer: customer) } }
        #expect(try await orders.more(10))
        // Too early: WeChat Pay does not know the new key yet.
        try write(Self.newKeys + "\n[[app.wechat_pay.former_key]]\n" + Self.oldKeys)
        try await reload()
        #expect(try await orders.more(10))
        #expect(count("weChatPay.formerKeyUsed") == 1)
        try await weChatPay.setCertificates([old, new])
        #expect(try await orders.more(10))
        try await weChatPay.setCertificates([new])
        #expect(try await orders.more(10))
        try write(Self.newKeys)
        try await reload()
        #expect(try await orders.more(10))
        await orders.end()
        try await group.waitForAll()
      }
      let (done, failures) = (await orders.done, await orders.failures)
      #expect(failures == [])
      #expect(done >= 50)
      #expect(count("configuration.needsRestart") == 0)
      #expect(try await shop.stop() == 0)
    }
  }
}
