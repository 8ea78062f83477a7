import Foundation
import HTTPClient
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestPlatform
import Testing

/// `counterfoil-lab run` in a folder, on ports that the system chooses.
private struct SimulatedServer {
  let process: ProgramProcess
  let server: String
  let simulator: String
  let secretKey: String
  private let exchange: HTTPExchange

  static func start(in folder: String) async throws -> SimulatedServer {
    let process = try ProgramProcess(["run", "--data", "shop", "--port", "0"], in: folder)
    let keys = URL(fileURLWithPath: folder + "/shop/keys.json")
    let exchange = try HTTPClient().exchange(HTTPClientOptions(route: .anywhere))
    var ports: [String] = []
    let isReady = try await eventually {
      if let code = process.status { throw ShopError("the server ended with \(code): \(process.errors)") }
      ports = process.output.split(separator: "http://localhost:").dropFirst().map { String($0.prefix { $0.isNumber }) }
      guard ports.count >= 3 else { return false }
      let answer = try? await exchange.send(HTTPRequest("GET", "http://127.0.0.1:\(ports[0])/readyz"), .seconds(2))
      return answer?.status == 200
    }
    guard isReady else { throw ShopError("the server did not become ready: \(process.errors)") }
    let key = try JSONReader.read(Array(Data(contentsOf: keys)))["secret"]?.string
    return SimulatedServer(
      process: process, server: "http://127.0.0.1:\(ports[0])", simulator: "http://127.0.0.1:\(ports[1])",
      secretKey: key ?? "", exchange: exchange)
  }

  func ask(
    _ method: String, _ address: String, members: [(String, JSONValue?)]? = nil, key: String? = nil
  ) async throws -> (status: Int, json: JSONValue) {
    var request = HTTPRequest(method, address)
    if let members { request = HTTPRequest(method, address, json: .members(members)) }
    request.fields.set("Authorization", key.map { "Bearer " + $0 })
    let response = try await exchange.send(request, .seconds(30))
    return (response.status, response.body.isEmpty ? .null : try JSONReader.read(response.body))
  }
}

extension SimulatedServer {
  private static let club = "com.example.demo.club.monthly"

  /// Ann buys a month of the club with an order's token.
  fileprivate func buyClub(_ token: String, _ more: [(String, JSONValue?)] = []) async throws -> (
    status: Int, json: JSONValue
  ) {
    try await ask(
      "POST", simulator + "/simulator/purchases",
      members: [
        ("account", "ann"), ("bundleId", "com.example.demo"), ("productId", .string(Self.club)),
        ("appAccountToken", .string(token)),
      ] + more)
  }

  /// What `counterfoil-lab trigger --server` does for Ann.
  fileprivate func trigger(_ words: [String], in folder: String) async throws -> ProgramRun {
    try await counterfoil(
      ["trigger", "--server", server, "--simulator", simulator, "--user", "ann"] + words, in: folder,
      environment: ["COUNTERFOIL_SECRET_KEY": secretKey])
  }

  /// Ann's order for a month, made with her user token.
  fileprivate func orderClub(_ user: String) async throws -> String {
    let order = try await ask(
      "POST", server + "/v1/orders",
      members: [("productId", "club.monthly"), ("store", "appStore"), ("platform", "ios")],
      key: user)
    return try #require(order.json["id"]?.string, "\(order.json.text)")
  }
}

@Suite struct `A simulated server` {
  @Test(.timeLimit(.minutes(5)))
  func `is named, with the way to it, if a command cannot reach it and finds its database in use`() async throws {
    try await withFolder { folder in
      let shop = try await SimulatedServer.start(in: folder)
      let access = folder + "/shop/counterfoil.db.access"
      try FileManager.default.removeItem(atPath: access)
      let words =
        [
          ([:], "run as the server's user, they reach it through shop/counterfoil.db.access"),
          (["LC_ALL": "zh_CN.UTF-8"], "即可通过 shop/counterfoil.db.access 与其通信"),
        ] as [([String: String], String)]
      for (environment, words) in words {
        let refused = try await counterfoil(
          "accounts", "disable", "demo", "--data", "shop", in: folder, environment: environment)
        #expect(refused.code == 1 && refused.errors.contains("(store_held_by_another_process)"), "\(refused.errors)")
        #expect(refused.errors.contains("counterfoil-lab run") && refused.errors.contains(words), "\(refused.errors)")
      }
      let nowhere = try await counterfoil("accounts", "link", "demo", "--data", "shop", in: folder)
      #expect(nowhere.code == 2 && nowhere.errors.contains("start `counterfoil-lab run` first"), "\(nowhere.errors)")
      #expect(shop.process.status == nil)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `makes a link to its console for a command beside it`() async throws {
    try await withFolder { folder in
      let shop = try await SimulatedServer.start(in: folder)
      let unknown = try await counterfoil("accounts", "link", "nobody", "--data", "shop", in: folder)
      #expect(unknown.code == 1 && unknown.errors.contains("there is no such account"), "\(unknown.errors)")
      let made = try await counterfoil("accounts", "link", "demo", "--data", "shop", in: folder)
      #expect(made.code == 0, "\(made.errors)")
      // The same console as in the link that the server itself printed, with another code.
      let marker = "/console/enter#"
      let origin = try #require(
        shop.process.output.split(separator: "\n").first { $0.contains(marker) }?.split(separator: " ").last?
          .split(separator: marker).first)
      let parts = made.output.trimmingCharacters(in: .whitespacesAndNewlines).split(separator: marker)
      #expect(parts.first == origin && parts.count == 2 && !shop.process.output.contains(made.output), "\(made.output)")
      // The console listens on 127.0.0.1; browsers reach it as localhost.
      let address = String(origin).replacing("localhost", with: "127.0.0.1") + "/console/enter"
      var request = HTTPRequest(
        "POST", address, fields: ["Origin": String(origin)], body: Array("code=\(parts.last ?? "")".utf8))
      request.fields.set("Content-Type", "application/x-www-form-urlencoded")
      let exchange = try HTTPClient().exchange(HTTPClientOptions(route: .anywhere))
      let signedIn = try await exchange.send(request, .seconds(10))
      #expect(signedIn.status == 303 && signedIn.fields["Location"] == "/console", "\(signedIn.status)")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `lets a developer trigger what WeChat Pay then tells by its signed notifications`() async throws {
    try await withFolder { folder in
      let shop = try await SimulatedServer.start(in: folder)
      let trigger = { (words: [String]) in try await shop.trigger(words, in: folder) }
      #expect(try await trigger(["wechat-pay-explosion"]).code == 2)
      // Sold at the App Store alone.
      #expect(try await trigger(["wechat-pay-purchase", "--product", "club.monthly"]).code == 1)
      for what in ["wechat-pay-purchase", "wechat-pay-refund", "wechat-pay-partial-refund"] {
        let run = try await trigger([what])
        #expect(run.code == 0 && run.output.contains("notified     paid\n"), "\(what): \(run.output)\(run.errors)")
        #expect(run.output.contains("then         refund") == (what != "wechat-pay-purchase"), "\(what)")
      }
      var told: [JSONValue] = []
      let isTold = try await eventually {
        let answer = try await shop.ask("GET", shop.server + "/v1/deliveries?limit=100", key: shop.secretKey)
        told = (answer.json["deliveries"]?.array ?? []).compactMap { $0["delivery"] }
        return told.count >= 5
      }
      let types = told.compactMap { $0["type"]?.string }.sorted()
      let (created, reversed) = ("grant.created", "grant.reversed")
      #expect(isTold && types == [created, created, created, reversed, reversed], "\(types)")
      #expect(told.allSatisfy { $0["store"]?.string == "weChatPay" && $0["userId"]?.string == "ann" })
      #expect(told.compactMap { $0["takenBack"]?.integer }.sorted() == [40, 100])
      var sent: [JSONValue] = []
      let isAccepted = try await eventually {
        let answer = try await shop.ask("GET", shop.simulator + "/simulator/wechat-pay/notifications")
        sent = answer.json["notifications"]?.array ?? []
        return sent.allSatisfy { $0["state"]?.string == "accepted" }
      }
      let (paid, refunded) = ("TRANSACTION.SUCCESS", "REFUND.SUCCESS")
      let sentTypes = sent.compactMap { $0["event_type"]?.string }.sorted()
      #expect(isAccepted && sentTypes == [refunded, refunded, paid, paid, paid], "\(sentTypes)")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `lets a developer trigger what their own backend then receives`() async throws {
    try await withFolder { folder in
      let shop = try await SimulatedServer.start(in: folder)
      func trigger(_ words: String...) async throws -> ProgramRun { try await shop.trigger(words, in: folder) }
      #expect(try await trigger("explosion").code == 2)
      #expect(try await trigger("purchase", "--product", "missing").code == 1)
      for what in ["refund", "purchase-without-phone"] {
        let run = try await trigger(what)
        #expect(run.code == 0, "\(what): \(run.errors)")
      }
      var types: [String] = []
      let isTold = try await eventually {
        let answer = try await shop.ask("GET", shop.server + "/v1/deliveries?limit=100", key: shop.secretKey)
        types = (answer.json["deliveries"]?.array ?? []).compactMap { $0["delivery"]?["type"]?.string }
        return types.count >= 3
      }
      #expect(isTold && types.sorted() == ["grant.created", "grant.created", "grant.reversed"], "\(types)")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `signs an offer only for a subscriber's own order, and its store accepts it only for that order`() async throws {
    try await withFolder { folder in
      let shop = try await SimulatedServer.start(in: folder)
      _ = try await shop.ask("PUT", shop.simulator + "/simulator/accounts/ann", members: [])
      let user = try await counterfoil("token", "--user", "ann", "--data", "shop", in: folder).output
        .trimmingCharacters(in: .whitespacesAndNewlines)
      let first = try await shop.orderClub(user)
      let wish: [(String, JSONValue?)] = [("productId", "club.monthly"), ("offerIdentifier", "welcome-back")]
      let tooEarly = try await shop.ask(
        "POST", shop.server + "/v1/app-store/offers", members: wish + [("orderId", .string(first))], key: user)
      #expect(tooEarly.json["code"]?.string == "offer_not_allowed", "\(tooEarly.json.text)")
      let evidence = try await shop.buyClub(first).json["signedTransaction"]
      let granted = try await shop.ask(
        "POST", shop.server + "/v1/payments/app-store", members: [("evidence", evidence)], key: user)
      #expect(granted.json["payments"]?.array?.first?["verdict"]?.string == "fulfilled", "\(granted.json.text)")

      let second = try await shop.orderClub(user)
      let signed = try await shop.ask(
        "POST", shop.server + "/v1/app-store/offers", members: wish + [("orderId", .string(second))], key: user)
      #expect(signed.status == 200 && signed.json["appAccountToken"]?.string == second, "\(signed.json.text)")
      let offer: [(String, JSONValue?)] = [("offerIdentifier", "welcome-back"), ("offerSignature", signed.json)]
      let elsewhere = try await shop.buyClub(first, offer)
      #expect(elsewhere.json["code"]?.string == "simulator_offer_signature_invalid", "\(elsewhere.json.text)")
      let unsigned = try await shop.buyClub(second, Array(offer.prefix(1)))
      #expect(unsigned.json["code"]?.string == "simulator_offer_signature_invalid")
      let taken = try await shop.buyClub(second, offer)
      #expect(taken.json["outcome"]?.string == "renewalChanged", "\(taken.json.text)")
    }
  }

  /// A receipt of iOS 6 cannot be proved genuine. If the API does not know its transaction, `verifyReceipt` is the last
  /// resort.
  @Test(.timeLimit(.minutes(5)))
  func `calls its simulator's verifyReceipt as the last resort, with its shared secret`() async throws {
    try await withFolder { folder in
      let shop = try await SimulatedServer.start(in: folder)
      let account = try await shop.ask("PUT", shop.simulator + "/simulator/accounts/ann", members: [])
      #expect(account.status / 100 == 2, "\(account.json.text)")
      let bought = try await shop.ask(
        "POST", shop.simulator + "/simulator/purchases",
        members: [
          ("account", "ann"), ("bundleId", "com.example.demo"), ("productId", "com.example.demo.club.monthly"),
        ])
      let id = try #require(bought.json["transaction"]?["transactionId"]?.string, "\(bought.json.text)")
      let receipt = try await shop.ask("GET", shop.simulator + "/simulator/transactions/\(id)/receipt").json
      let text = try #require(receipt["transactionReceipt"]?.string)
      let fault = try await shop.ask(
        "POST", shop.simulator + "/simulator/api-faults",
        members: [("fault", "notFound"), ("operation", "transactionInfo"), ("count", "always")])
      #expect(fault.status == 201)
      let answer = try await shop.ask(
        "POST", shop.server + "/v1/payments/app-store", members: [("evidence", .string(text)), ("userId", "ann")],
        key: shop.secretKey)
      #expect(answer.status == 200, "\(answer.json.text)")
      #expect(answer.json["payments"]?.array?.first?["verdict"]?.string == "fulfilled", "\(answer.json.text)")
      #expect(answer.json["payments"]?.array?.first?["transactionId"]?.string == id)
    }
  }
}
