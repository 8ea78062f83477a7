import AppStoreProtocol
import CounterfoilAPI
import CounterfoilCLI
import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import WeChatPayProtocol

/// Purchases that have an order here and are paid at a store, but are not yet reported to the server.
struct PaidPurchases: Sendable {
  var orders: [Order] = []
  /// The updates for the engine, with the signature checked.
  var update: [PaymentUpdate] = []
  /// The HTTP requests that carry each purchase.
  var calls: [HTTPRequest] = []
  /// Checks the store's signature of one purchase, as the server does for each request.
  let verify: @Sendable (Int) -> Void

  /// How many orders of a user are open at a time; the engine allows five of one product.
  private static let ordersPerUser = 2

  /// Creates this many orders, and lets the store sign their payments.
  ///
  /// - Parameters:
  ///   - first: the number of the first purchase: no two in one database have the same.
  ///   - atOnce: how many orders are created at the same time.
  static func make(
    _ count: Int, at store: Store, _ shop: FulfilShop, open: OpenShop, ordersPerUser: Int = Self.ordersPerUser,
    from first: Int = 0, atOnce: Int = 1
  ) async throws -> PaidPurchases {
    var orders: [Order] = []
    for start in stride(from: 0, to: count, by: atOnce) {
      let numbers = start..<min(start + atOnce, count)
      orders += try await withThrowingTaskGroup(of: (Int, Order).self) { group in
        for number in numbers {
          let user = UserIdentifier("user-\((first + number) / ordersPerUser)")
          group.addTask { (number, try await order(of: user, at: store, shop, open)) }
        }
        return try await group.reduce(into: [(Int, Order)]()) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
      }
    }
    var purchases: PaidPurchases
    switch store {
    case .appStore: purchases = try appStore(orders, shop, from: first)
    case .weChatPay: purchases = try weChatPay(orders, shop, from: first)
    }
    purchases.orders = orders
    return purchases
  }

  private static func order(
    of user: UserIdentifier, at store: Store, _ shop: FulfilShop, _ open: OpenShop
  ) async throws -> Order {
    var request = OrderRequest(user: user, product: "coins.100", quantity: 1, store: store)
    request.platform = "android"
    let made = try await open.engine.createOrder(request, for: shop.policy, by: .user(user))
    shop.clock.advance()
    return made.order.order
  }

  // MARK: App Store

  private static func appStore(_ orders: [Order], _ shop: FulfilShop, from first: Int) throws -> PaidPurchases {
    let expectations = SignedDataExpectations(
      apps: [AppIdentity(bundleId: FulfilShop.bundleId, appAppleId: 1)], environments: [.simulated])
    let verifier = shop.verifier
    let now = shop.clock.now
    let tokens = orders.enumerated().map { number, order in
      shop.chain.sign(payload(first + number, token: order.key.id.appAccountToken, at: now))
    }
    var purchases = PaidPurchases { turn in
      precondition(verifier.verifyTransaction(tokens[turn], expecting: expectations, at: now).isValid)
    }
    for (order, token) in zip(orders, tokens) {
      guard let verified = verifier.verifyTransaction(token, expecting: expectations, at: now).verified else {
        throw CommandFailure("the verifier refuses what the bench has signed.")
      }
      var update = PaymentUpdate(
        facts: try AppStoreEvidence.payment(of: verified, app: FulfilShop.app), evidence: token, origin: .client)
      update.isHeldByClient = true
      update.claim = OwnershipClaim(user: order.user, proof: .missing, orders: [], sameRun: nil)
      purchases.update.append(update)
      let bearer = TokenCommand.issue(
        for: order.user.text, of: FulfilShop.app, kid: FulfilShop.tokenKey, shop.tokenSecret, at: now,
        for: .minutes(10))
      purchases.calls.append(
        HTTPRequest(
          "POST", SubmitAppStorePayment.path, fields: ["Authorization": "Bearer " + bearer],
          json: .members([("evidence", .string(token))])))
    }
    return purchases
  }

  /// A one-time charge with the fields of a genuine one.
  ///
  /// - Parameter token: the `appAccountToken` of the order that it pays.
  static func payload(_ number: Int, token: String, at now: Timestamp) -> JSONValue {
    let transaction = JSONValue.string("\(20_000_009_000_000_000 + number)")
    return .members([
      ("transactionId", transaction), ("originalTransactionId", transaction),
      ("bundleId", .string(FulfilShop.bundleId)), ("productId", .string(FulfilShop.storeProduct)),
      ("purchaseDate", .integer(now.milliseconds)), ("originalPurchaseDate", .integer(now.milliseconds)),
      ("quantity", .integer(1)), ("type", .string("Consumable")),
      ("appAccountToken", .string(token)), ("inAppOwnershipType", .string("PURCHASED")),
      ("signedDate", .integer(now.milliseconds)), ("environment", .string("Sandbox")),
      ("transactionReason", .string("PURCHASE")), ("storefront", .string("CHN")), ("storefrontId", .string("143465")),
      ("price", .integer(6000)), ("currency", .string("CNY")),
      ("appTransactionId", .string("\(704_602_545_000_000_000 + number / ordersPerUser)")),
      ("deviceVerification", .string("kqXrhLTvbgRkWCaXFq6mpvHBYxQZ0AMcOJGQKRnbb4HhrFdWEGbbUJvdcHKJDDZh")),
      ("deviceVerificationNonce", .string("48ccfa42-7431-4f22-9908-7e88983e105a")),
    ])
  }

  // MARK: WeChat Pay

  private static func weChatPay(_ orders: [Order], _ shop: FulfilShop, from first: Int) throws -> PaidPurchases {
    let now = shop.clock.now
    let calls = orders.enumerated().map { number, order in
      notification(of: transaction(first + number, order, at: now), first + number, shop, at: now)
    }
    let (keys, apiV3Key) = (shop.keys, shop.apiV3Key)
    let open: @Sendable (Int) throws(NotificationFailure) -> WeChatPayNotification = {
      turn throws(NotificationFailure) in
      try WeChatPayNotification(
        fields: calls[turn].fields, body: calls[turn].body, keys: keys, apiV3Key: apiV3Key, at: now)
    }
    var purchases = PaidPurchases { turn in precondition((try? open(turn)) != nil) }
    purchases.calls = calls
    for (number, order) in orders.enumerated() {
      let notification = try open(number)
      guard case .transaction(let transaction) = notification.content,
        case .charged(let charge) = try WeChatPayEvidence.finding(
          of: transaction, app: FulfilShop.app, environment: .simulated, signedDate: notification.signedDate)
      else { throw CommandFailure("the notification that the bench has signed speaks of no charge.") }
      let facts = charge.payment(
        of: StoreProductIdentifier(order.product.id.text), kind: order.product.kind, quantity: order.quantity)
      let evidence = String(decoding: calls[number].body + notification.plaintext, as: UTF8.self)
      var update = PaymentUpdate(facts: facts, evidence: evidence, origin: .notification)
      update.charge = charge
      purchases.update.append(update)
    }
    return purchases
  }

  private static func transaction(_ number: Int, _ order: Order, at now: Timestamp) -> PaymentTransaction {
    var transaction = PaymentTransaction(outTradeNo: order.key.id.outTradeNo, tradeState: .success)
    transaction.appid = FulfilShop.appid
    transaction.mchid = FulfilShop.mchid
    transaction.transactionId = "4200002026\(100_000_000_000_000_000 + number)"
    transaction.tradeType = WeChatPayValue("APP")
    transaction.tradeStateDescription = "支付成功"
    transaction.bankType = "OTHERS"
    transaction.successTime = now
    transaction.openid = "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o"
    (transaction.total, transaction.payerTotal) = (FulfilShop.fen, FulfilShop.fen)
    (transaction.currency, transaction.payerCurrency) = ("CNY", "CNY")
    return transaction
  }

  private static func notification(
    of transaction: PaymentTransaction, _ number: Int, _ shop: FulfilShop, at now: Timestamp
  ) -> HTTPRequest {
    let twelve = String("\(1_000_000_000_000 + number)".dropFirst())
    let resource = SealedResource(
      sealing: transaction.json.bytes, key: shop.apiV3Key, nonce: twelve, associatedData: "transaction",
      originalType: "transaction")
    let body = WeChatPayNotification.body(
      id: "EV-2018022511223320\(100_000_000 + number)", createTime: now, eventType: "TRANSACTION.SUCCESS",
      summary: "支付成功", resource: resource)
    let nonce = Nonce.text(randomBytes: shop.dependencies.randomBytes(32))
    var request = HTTPRequest(
      "POST", "/notifications/wechat-pay/" + FulfilShop.app.text,
      fields: shop.platformSigner.fields(signing: body.bytes, at: now, nonce: nonce), body: body.bytes)
    request.fields.set("Content-Type", "application/json")
    return request
  }
}
