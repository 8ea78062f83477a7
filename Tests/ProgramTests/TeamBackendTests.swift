import AppStoreSimulator
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import TestPlatform
import Testing

/// Simulates the team's own backend, the only server that the phone calls. It numbers its orders itself, calls
/// Counterfoil with its secret key, and books deliveries by its own numbers.
struct TeamBackend: Sendable {
  let shop: Shop
  let receiver: WebhookReceiver

  /// Creates an order with its own number, and returns the token for the phone's payment.
  func makeOrder(_ number: String, for user: String) async throws -> String {
    let body = JSONValue.members([
      ("productId", "coins.100"), ("store", "appStore"), ("userId", .string(user)), ("reference", .string(number)),
      ("metadata", .members([("shelf", "front")])),
    ])
    let answer = try await shop.ask("POST", "/v1/orders", body: body, idempotencyKey: number)
    guard answer.status == 201 || answer.status == 200, answer.json["reference"]?.string == number,
      let token = answer.json["appStore"]?["appAccountToken"]?.string
    else { throw ShopError("the order was answered \(answer.status): \(answer.json.text)") }
    return token
  }

  /// Submits the phone's evidence of payment.
  func passOn(_ evidence: String, of number: String, for user: String) async throws -> JSONValue {
    let body = JSONValue.members([
      ("evidence", .string(evidence)), ("userId", .string(user)), ("orderIds", .array([.string(number)])),
    ])
    let answer = try await shop.ask("POST", "/v1/payments/app-store", body: body)
    guard answer.status == 200, let payment = answer.json["payments"]?.array?.first else {
      throw ShopError("the payment was answered \(answer.status): \(answer.json.text)")
    }
    return payment
  }

  /// The booked deliveries.
  var booked: [JSONValue] { receiver.booked.values.compactMap { try? JSONReader.read($0.utf8) } }
}

@Suite struct `A team's own backend` {
  @Test(.timeLimit(.minutes(5)))
  func `sends its own order number, gets the same number in the delivery, and books once`() async throws {
    try await withShop(apps: [ShopApp(id: "game", webhook: try freePort())]) { shop in
      let receiver = try WebhookReceiver(
        port: shop.apps[0].webhook ?? 0, secret: shop.webhookSecret, .cutsAfterBooking)
      defer { receiver.stop() }
      try await shop.start()
      let backend = TeamBackend(shop: shop, receiver: receiver)
      let token = try await backend.makeOrder("T-2026-000042", for: "zhang")
      let again = try await backend.makeOrder("T-2026-000042", for: "zhang")
      #expect(token == again, "two requests create one order")
      let bought = try await shop.buy(order: token, account: "zhang")

      // The phone submits repeatedly, and the store's notification arrives at the same time.
      let verdicts = try await withThrowingTaskGroup(of: JSONValue.self) { group in
        for _ in 0..<10 {
          group.addTask {
            try await backend.passOn(bought.signedTransaction, of: "T-2026-000042", for: "zhang")
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(verdicts.allSatisfy { $0["verdict"]?.string == "fulfilled" && $0["finish"]?.bool == true })
      #expect(verdicts.allSatisfy { $0["reference"]?.string == "T-2026-000042" })

      let isAcknowledged = try await eventually {
        let order = try await shop.ask("GET", "/v1/orders/T-2026-000042?wait=5&until=delivered")
        return order.json["delivery"]?.string == "acknowledged"
      }
      #expect(isAcknowledged)
      #expect(receiver.attempts.count == 2, "the receiver cut the first attempt after booking")
      #expect(backend.booked.count == 1)
      let told = backend.booked.first
      #expect(told?["reference"]?.string == "T-2026-000042" && told?["userId"]?.string == "zhang")
      #expect(told?["orderId"]?.string == token && told?["metadata"]?["shelf"]?.string == "front")
      #expect(told?["units"]?["amount"]?.integer == 100)
      let balances = try await shop.ask("GET", "/v1/users/zhang/balances")
      #expect(balances.json["balances"]?.array?.first?["amount"]?.integer == 100)
    }
  }
}
