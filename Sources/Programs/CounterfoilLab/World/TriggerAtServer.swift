import CounterfoilCLI
import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// `counterfoil-lab trigger --server`: makes something happen at a running simulated server, so that the developer's
/// own backend receives what follows. The scenarios of `trigger SCENARIO` run in one process on simulated time instead.
struct TriggerAtServer: Sendable {
  /// What can be made to happen. The names are permanent.
  enum Happening: String, CaseIterable {
    case purchase
    case purchaseWithoutPhone = "purchase-without-phone"
    case purchaseTwice = "purchase-twice"
    case refund
    case partialRefund = "partial-refund"
    case subscription
    case renewal
    case lapse
    case subscriptionRefund = "subscription-refund"
    case weChatPayPurchase = "wechat-pay-purchase"
    case weChatPayRefund = "wechat-pay-refund"
    case weChatPayPartialRefund = "wechat-pay-partial-refund"

    var meaning: BilingualText {
      switch self {
      case .purchase: BilingualText("a user buys, and the phone reports it", "用户购买，手机上报")
      case .purchaseWithoutPhone:
        BilingualText("the phone never reports it: the store's notification does", "手机从未上报，由商店通知得知")
      case .purchaseTwice: BilingualText("a user buys the same twice", "用户购买两次相同商品")
      case .refund: BilingualText("a purchase, then the store pays all back", "购买后商店全额退款")
      case .partialRefund: BilingualText("a purchase, then the store pays 40 % back", "购买后商店退款 40%")
      case .subscription: BilingualText("a user subscribes", "用户订阅")
      case .renewal: BilingualText("a subscription, and its first renewal", "订阅并首次续订")
      case .lapse: BilingualText("a subscription that ends", "订阅到期结束")
      case .subscriptionRefund: BilingualText("a subscription that is refunded", "订阅后退款")
      case .weChatPayPurchase: BilingualText("a user pays in WeChat, which notifies it", "用户在微信付款，由微信支付通知得知")
      case .weChatPayRefund: BilingualText("a user pays in WeChat, and gets all back", "用户在微信付款后获全额退款")
      case .weChatPayPartialRefund:
        BilingualText("a user pays in WeChat, and gets 40 % back", "用户在微信付款后获退款 40%")
      }
    }

    var isSubscription: Bool { [.subscription, .renewal, .lapse, .subscriptionRefund].contains(self) }
    var isAtWeChatPay: Bool { [.weChatPayPurchase, .weChatPayRefund, .weChatPayPartialRefund].contains(self) }
  }

  let server: String
  let simulator: String
  let key: String
  let user: String
  /// The consumable or the subscription; nil: the first of the catalog that fits.
  let product: String?
  let bundleId: String
  let exchange: HTTPExchange
  let print: @Sendable (String) -> Void

  func run(_ happening: Happening) async throws {
    let product = try await chosen(happening)
    guard !happening.isAtWeChatPay else { return try await runAtWeChatPay(happening, product) }
    _ = try await ask(
      "PUT", simulator + "/simulator/accounts/" + RequestTarget.encode(user), key: nil, sending: .object([]))
    let first = try await buy(product, tells: happening != .purchaseWithoutPhone)
    switch happening {
    case .purchase, .purchaseWithoutPhone, .subscription: break
    case .purchaseTwice: _ = try await buy(product, tells: true)
    case .refund, .subscriptionRefund: try await control("/transactions/\(first)/refund", .object([]))
    case .partialRefund:
      try await control("/transactions/\(first)/refund", .members([("percentage", .integer(40_000))]))
    case .renewal: try await control("/subscriptions/\(first)/renew", nil)
    case .lapse: try await control("/subscriptions/\(first)/end", nil)
    case .weChatPayPurchase, .weChatPayRefund, .weChatPayPartialRefund: break
    }
  }

  /// A product of the server's catalog.
  private func chosen(_ happening: Happening) async throws -> String {
    if let product { return product }
    let kind = happening.isSubscription ? "autoRenewable" : "consumable"
    let answer = try await ask(
      "GET", server + "/v1/products?userId=" + RequestTarget.encode(user), key: key, sending: nil)
    let products = answer["products"]?.array ?? []
    let fitting = products.first { product in
      product["kind"]?.string == kind && (!happening.isAtWeChatPay || product["weChatPriceInFen"] != nil)
    }
    guard let id = fitting?["productId"]?.string else {
      throw CommandFailure("The server sells no product of the kind \(kind). Name one with --product.")
    }
    return id
  }

  /// Orders, pays at the simulated App Store, and perhaps reports the payment as a phone does.
  ///
  /// - Returns: the transaction.
  private func buy(_ product: String, tells: Bool) async throws -> String {
    let order = try await ask(
      "POST", server + "/v1/orders", key: key,
      sending: .members([
        ("productId", .string(product)), ("store", "appStore"), ("userId", .string(user)), ("platform", "ios"),
      ]))
    guard let id = order["id"]?.string, let storeProduct = order["appStore"]?["productId"]?.string,
      let token = order["appStore"]?["appAccountToken"]?.string
    else { throw CommandFailure("The order has no product of the App Store.") }
    print("ordered      \(id)  \(product)  \(user)\n")
    let bought = try await ask(
      "POST", simulator + "/simulator/purchases", key: nil,
      sending: .members([
        ("account", .string(user)), ("bundleId", .string(bundleId)), ("productId", .string(storeProduct)),
        ("appAccountToken", .string(token)),
      ]))
    guard let transaction = bought["transaction"]?["transactionId"]?.string ?? bought["transaction"]?["id"]?.string,
      let evidence = bought["signedTransaction"]?.string
    else { throw CommandFailure("The simulated App Store sold nothing: \(bought.text)") }
    print("paid         \(transaction)\n")
    if tells {
      let answer = try await ask(
        "POST", server + "/v1/payments/app-store", key: key,
        sending: .members([("evidence", .string(evidence)), ("userId", .string(user))]))
      print("reported     \(answer["payments"]?.array?.first?["verdict"]?.string ?? "no verdict")\n")
    }
    return transaction
  }

  private func control(_ path: String, _ body: JSONValue?) async throws {
    _ = try await ask("POST", simulator + "/simulator" + path, key: nil, sending: body)
    print("then         \(path)\n")
  }

  func ask(
    _ method: String, _ url: String, key: String?, sending body: JSONValue?, idempotencyKey: String? = nil
  ) async throws -> JSONValue {
    var request = HTTPRequest(method, url)
    if let key { request.fields.set("Authorization", "Bearer " + key) }
    request.fields.set("Idempotency-Key", idempotencyKey)
    if let body {
      request.body = body.bytes
      request.fields.set("Content-Type", "application/json")
    }
    let response: HTTPResponse
    do { response = try await exchange.send(request, .seconds(30)) } catch {
      throw CommandFailure("\(url) did not answer: \(error)")
    }
    let json = (try? JSONReader.read(response.body, limits: JSONLimits(bytesMax: 4 << 20))) ?? .null
    guard (200...299).contains(response.status) else {
      let words = [json["title"], json["detail"], json["remedy"], json["error"]].compactMap { $0?.string }
      throw CommandFailure("\(method) \(url) was answered \(response.status). " + words.joined(separator: " "))
    }
    return json
  }
}
