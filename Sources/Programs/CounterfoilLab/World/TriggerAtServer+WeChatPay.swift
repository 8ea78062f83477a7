import CounterfoilCLI
import HTTPMessages
import PaymentPrimitives
import StrictJSON

// What happens at the simulated WeChat Pay. The payer never comes back to the app: notifications, signed with the
// simulator's platform key, tell the server.
extension TriggerAtServer {
  /// How long a call waits for a notification.
  private static let waitSeconds = 25

  func runAtWeChatPay(_ happening: Happening, _ product: String) async throws {
    let order = try await ask(
      "POST", server + "/v1/orders", key: key,
      sending: .members([
        ("productId", .string(product)), ("store", "weChatPay"), ("tradeType", "NATIVE"), ("userId", .string(user)),
        ("platform", "web"),
      ]))
    guard let id = order["id"]?.string, let code = order["weChatPay"]?["codeUrl"]?.string,
      let price = order["price"]?["amount"]?.integer
    else { throw CommandFailure("The order has no code of WeChat Pay to scan.") }
    self.print("ordered      \(id)  \(product)  \(user)\n")
    let visit = try await ask(
      "POST", simulator + "/simulator/wechat-pay/cashier", key: nil,
      sending: .members([("code_url", .string(code)), ("action", "pay")]))
    if let reason = visit["reason"]?.string { throw CommandFailure("The cashier of WeChat Pay refused: \(reason).") }
    self.print("paid         \(visit["out_trade_no"]?.string ?? visit.text)\n")
    try await waitForNotification(of: id)
    switch happening {
    case .weChatPayRefund: try await refund(id, nil)
    case .weChatPayPartialRefund: try await refund(id, max(1, price * 40 / 100))
    default: break
    }
  }

  private func waitForNotification(of order: String) async throws {
    let target = server + "/v1/orders/" + RequestTarget.encode(order)
    let answer = try await ask("GET", target + "?wait=\(Self.waitSeconds)&until=paid", key: key, sending: nil)
    let state = answer["state"]?.string ?? "unknown"
    guard state == "paid" else {
      throw CommandFailure("The server has heard nothing of the payment: the order is \(state).")
    }
    self.print("notified     \(state)\n")
  }

  /// - Parameter amount: in fen; nil: all.
  private func refund(_ order: String, _ amount: Int64?) async throws {
    let answer = try await ask(
      "POST", server + "/v1/orders/" + RequestTarget.encode(order) + "/refund", key: key,
      sending: .members([("amount", amount.map { .integer($0) })]), idempotencyKey: "trigger-" + order)
    self.print("then         refund \(answer["id"]?.string ?? "")  \(answer["state"]?.string ?? "")\n")
  }
}
