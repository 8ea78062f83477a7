import HTTPMessages
import StrictJSON

/// A server with one order at WeChat Pay, for apps that run in real time.
enum WeChatShop {
  static let id = "01a215b9-070a-7935-97a2-000000000001"

  static func exchange(isPaid: @escaping @Sendable () -> Bool) -> HTTPExchange {
    HTTPExchange { request, _ throws(HTTPExchangeError) in
      let path = request.target.dropFirst(TestShop.address.count).prefix { $0 != "?" }
      switch (request.method, path) {
      case ("POST", "/v1/orders"): return HTTPResponse(status: 201, json: order(isPaid: isPaid()))
      case ("POST", "/v1/orders/\(id)/wechat-pay"), ("GET", "/v1/orders/\(id)"):
        return HTTPResponse(status: 200, json: order(isPaid: isPaid()))
      case ("GET", "/v1/orders"): return HTTPResponse(status: 200, json: Golden.object([("orders", .array([]))]))
      default: throw .unreachable("no such route in this test")
      }
    }
  }

  private static func order(isPaid: Bool) -> JSONValue {
    let signed = Golden.object([
      ("appId", .string("wx0000000000000001")), ("partnerId", .string("1900000001")), ("prepayId", .string("wx000001")),
      ("packageValue", .string("Sign=WXPay")), ("nonceStr", .string("n")), ("timeStamp", .integer(1_795_660_777)),
      ("sign", .string("c2ln")), ("signType", .string("RSA")),
    ])
    return .members([
      ("id", .string(id)), ("userId", .string("alice")), ("productId", .string("coins.100")), ("quantity", .integer(1)),
      ("store", .string("weChatPay")), ("environment", .string("simulated")), ("delivery", .string("none")),
      ("state", .string(isPaid ? "paid" : "awaitingPayment")),
      ("createdAt", .string("2026-11-26T02:39:37.226Z")), ("expiresAt", .string("2036-11-26T02:39:37.226Z")),
      ("weChatPay", isPaid ? nil : signed),
    ])
  }
}
