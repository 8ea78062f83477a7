import AppStoreProtocol
import AppStoreSimulator
import Counterfoil
import CounterfoilAPI
import CounterfoilCLI
import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import WeChatPaySimulator

/// Makes one purchase through a simulated server as a phone would, and tells the terminal user what happened and what
/// to try next.
struct FirstPurchase: Sendable {
  let address: String
  let folder: String
  let keys: DevelopmentKeys
  let simulator: SimulatedAppStore
  let weChatPay: SimulatedWeChatPay
  let platform: Platform

  private static let user: UserIdentifier = "alice"

  private var language: Language { CommandLineProgram.language(platform) }

  /// Prints the trace of the purchase, or why there is none.
  func tell() async {
    do { try await purchase() } catch {
      platform.printError("The first purchase did not go through: \(error)\n")
    }
  }

  private func purchase() async throws {
    let exchange = try platform.exchange(.anywhere)
    let account = AppleAccountIdentifier("alice")
    try await simulator.catalog.setAccount(SimulatedAppleAccount(id: account, environment: .production))
    guard let secret = try platform.files.read(SimulatedProfile.tokenSecret(in: folder), 4096) else { return }
    let shopper = Shopper(
      user: Self.user,
      phone: try .with(account: account, folder: folder + "/phones/alice", platform), server: address,
      tokenSecret: Secret(secret), exchange: exchange, dependencies: platform.dependencies)
    let outcome = try await shopper.use(try shopper.launch(at: simulator)) { app in
      try await app.purchase("coins.100")
    }
    guard case .fulfilled(let order, _) = outcome else {
      throw CommandFailure("the purchase ended as \(outcome).")
    }
    let delivery = try await acknowledgeDelivery(of: order, exchange)
    let evidence = try await keepEvidence(of: order)
    let coins = try await balance(exchange)
    tellStory(order, evidence, delivery: delivery, coins: coins)
    let second = try await purchaseAtWeChatPay(exchange)
    tellSecondStory(second)
    tellWhatNext(order)
  }

  /// Plays the app's backend: takes the delivery and acknowledges it.
  private func acknowledgeDelivery(
    of order: OrderIdentifier, _ exchange: HTTPExchange
  ) async throws -> String {
    let claimed = try await ask(exchange, "POST", path: ClaimDeliveries.path, body: .object([]))
    let deliveries = claimed["deliveries"]?.array ?? []
    for delivery in deliveries {
      guard let id = delivery["id"]?.string else { continue }
      _ = try await ask(exchange, "POST", path: "/v1/deliveries/\(RequestTarget.encode(id))/ack", body: .object([]))
      if delivery["delivery"]?["orderId"]?.string == order.appAccountToken { return id }
    }
    throw CommandFailure("no delivery came for the order \(order).")
  }

  private func keepEvidence(of order: OrderIdentifier) async throws -> TransactionIdentifier {
    let owner = AppOwner(account: "alice", bundleId: SimulatedProfile.identity.bundleId)
    let signed = try await simulator.signedTransactions(of: owner).last {
      $0.transaction.appAccountToken == AppStoreUUID(order)
    }
    guard let signed else { throw CommandFailure("the simulated store knows no such purchase.") }
    try platform.files.replace(folder + "/first-purchase.jws", Array(signed.signedTransaction.utf8))
    return signed.transaction.id
  }

  /// The same purchase as an Android phone makes it, over HTTP only: order, WeChat's cashier, "I am back".
  private func purchaseAtWeChatPay(
    _ exchange: HTTPExchange
  ) async throws -> (order: OrderIdentifier, transaction: String, coins: Int64) {
    let order = try await ask(
      exchange, "POST", path: CreateOrder.path,
      body: .members([
        ("productId", "coins.100"), ("store", "weChatPay"), ("platform", "android"), ("userId", .string(Self.payer)),
      ]))
    guard let id = order["id"]?.string.flatMap({ OrderIdentifier($0) }), let parameters = order["weChatPay"] else {
      throw CommandFailure("the order has no parameters for WeChat.")
    }
    let visit = CashierVisit.app(try CashierVisit.AppHandOver(parameters))
    let cashier = try await weChatPay.cashier.visit(visit, openid: "o-bob", .payAndLeave)
    guard cashier.reason == nil else { throw CommandFailure("the cashier says \(cashier.reason?.rawValue ?? "").") }
    let checked = try await ask(
      exchange, "POST", path: CheckWeChatPay.path,
      body: .members([("orderId", .string(id.appAccountToken)), ("userId", .string(Self.payer))]))
    guard checked["verdict"]?.string == "fulfilled" else {
      throw CommandFailure("WeChat Pay's purchase ended as \(checked["verdict"]?.string ?? "nothing").")
    }
    _ = try await acknowledgeDelivery(of: id, exchange)
    let balances = try await ask(exchange, "GET", path: "/v1/balances?userId=\(Self.payer)", body: nil)
    let paid = await weChatPay.order(.init(mchid: WeChatPayAssembly.mchid, outTradeNo: id.outTradeNo))?.order
    return (id, paid?.transactionId ?? "", balances["balances"]?.array?.first?["amount"]?.integer ?? 0)
  }

  private static let payer = "bob"

  private func tellSecondStory(_ second: (order: OrderIdentifier, transaction: String, coins: Int64)) {
    let text = BilingualText(
      """
      A second purchase through WeChat Pay, without a callback:
        ordered    100 coins for bob, order \(second.order), 6.00 yuan
        paid       in the simulated cashier, transaction \(second.transaction)
        queried    WeChat Pay itself, and its signed answer verified
        granted    100 coins; bob has \(second.coins)

      """,
      """
      第二笔通过微信支付，客户端没有收到回调：
        下单       bob 购买 100 金币，订单 \(second.order)，6.00 元
        支付       在模拟收银台完成，交易号 \(second.transaction)
        查单       直接向微信支付查询，并验证应答签名
        入账       100 金币；bob 现有 \(second.coins)

      """)
    platform.print(text[language])
  }

  private func balance(_ exchange: HTTPExchange) async throws -> Int64 {
    let answer = try await ask(exchange, "GET", path: "/v1/balances?userId=\(Self.user)", body: nil)
    return answer["balances"]?.array?.first?["amount"]?.integer ?? 0
  }

  private func ask(
    _ exchange: HTTPExchange, _ method: String, path: String, body: JSONValue?
  ) async throws -> JSONValue {
    var request = HTTPRequest(
      method, address + path, fields: ["Authorization": "Bearer " + keys.secret])
    if let body {
      request.body = body.bytes
      request.fields.set("Content-Type", "application/json")
    }
    let response = try await exchange.send(request, .seconds(10))
    guard (200..<300).contains(response.status) else {
      throw CommandFailure("\(method) \(path) was answered \(response.status).")
    }
    return try JSONReader.read(response.body)
  }

  private func tellStory(
    _ order: OrderIdentifier, _ transaction: TransactionIdentifier, delivery: String, coins: Int64
  ) {
    let text = BilingualText(
      """
      The first purchase, as a phone made it:
        ordered    100 coins for alice, order \(order)
        paid       to the simulated App Store, transaction \(transaction)
        verified   its signature, chain and markers, here and offline
        granted    100 coins; alice has \(coins)
        delivered  \(delivery), acknowledged by a simulated backend

      """,
      """
      第一笔购买，如同由手机发起：
        下单       alice 购买 100 金币，订单 \(order)
        支付       模拟 App Store，交易号 \(transaction)
        核验       签名、证书链与标记，在本机离线完成
        入账       100 金币；alice 现有 \(coins)（granted）
        发货通知   \(delivery)，已由模拟后端确认

      """)
    platform.print(text[language])
  }

  private func tellWhatNext(_ order: OrderIdentifier) {
    let lab = platform.programName
    // The server's program is beside the lab's.
    let server = lab.hasSuffix("-lab") ? String(lab.dropLast("-lab".count)) : "counterfoil"
    let words = BilingualText(
      """

      Three things to try, in another terminal:
        \(server) orders \(order)
        \(server) verify --root \(folder)/simulator-root.pem \(folder)/first-purchase.jws
        \(lab) demo

      Ctrl-C ends it.

      """,
      """

      接下来可以在另一个终端中尝试：
        \(server) orders \(order)
        \(server) verify --root \(folder)/simulator-root.pem \(folder)/first-purchase.jws
        \(lab) demo

      按 Ctrl-C 结束。

      """)
    platform.print(words[language])
  }
}
