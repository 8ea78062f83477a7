import AppStoreIntegration
import AppStoreProtocol
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SigningAuthorities
import SimulationKit
import StrictJSON

/// What Apple signs about one subscription, at times counted in days from noon; a test can submit each update at any
/// time.
struct SubscriptionFixture: Sendable {
  let shop: EngineFixture
  /// The `originalTransactionId` of the subscription.
  var originalTransaction = "9001"
  var product = "com.example.monthly"
  /// The order that its transactions name; Apple repeats it at each renewal.
  var token: OrderIdentifier?

  static func day(_ day: Double) -> Timestamp { EngineFixture.noon + .milliseconds(Int64(day * 86_400_000)) }

  /// One period of 30 days, signed at its purchase or later.
  func period(
    _ id: String, day: Double, signed: Double? = nil, product other: String? = nil, named: Bool = true,
    _ change: (inout [String: JSONValue]) -> Void = { _ in }
  ) -> String {
    let from = Self.day(day)
    return shop.transaction(
      id, of: other ?? product, token: named ? token : nil, type: "Auto-Renewable Subscription"
    ) { payload in
      payload["originalTransactionId"] = .string(originalTransaction)
      payload["purchaseDate"] = .integer(from.milliseconds)
      payload["originalPurchaseDate"] = .integer(EngineFixture.noon.milliseconds)
      payload["expiresDate"] = .integer((from + .days(30)).milliseconds)
      payload["signedDate"] = .integer(Self.day(signed ?? day).milliseconds)
      payload["transactionReason"] = id == originalTransaction ? "PURCHASE" : "RENEWAL"
      change(&payload)
    }
  }

  /// The renewal information.
  func renewal(signed day: Double, renews: Bool = true, _ change: (inout [String: JSONValue]) -> Void = { _ in })
    -> String
  {
    var payload: [String: JSONValue] = [
      "originalTransactionId": .string(originalTransaction), "autoRenewProductId": .string(product),
      "productId": .string(product),
      "autoRenewStatus": .integer(renews ? 1 : 0), "signedDate": .integer(Self.day(day).milliseconds),
      "environment": "Production", "isInBillingRetryPeriod": .bool(false),
    ]
    change(&payload)
    return shop.signing.sign(.object(payload.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value) }))
  }

  /// A notification with both.
  func notification(
    _ uuid: String, _ type: String, subtype: String? = nil, about transaction: String?, renewal: String? = nil
  ) -> [UInt8] {
    let signed = shop.signing.sign(
      .members([
        ("notificationType", .string(type)), ("subtype", subtype.map(JSONValue.string)),
        ("notificationUUID", .string(uuid)), ("version", "2.0"), ("signedDate", .integer(shop.now().milliseconds)),
        (
          "data",
          .members([
            ("environment", "Production"), ("bundleId", "com.example.shop"), ("appAppleId", .integer(1234)),
            ("signedTransactionInfo", transaction.map(JSONValue.string)),
            ("signedRenewalInfo", renewal.map(JSONValue.string)),
          ])
        ),
      ]))
    return JSONValue.members([("signedPayload", .string(signed))]).bytes
  }

  @discardableResult
  func receive(
    _ uuid: String, _ type: String, subtype: String? = nil, about transaction: String?, renewal: String? = nil
  ) async throws -> NotificationReceipt {
    try await shop.engine.receiveAppStoreNotification(
      notification(uuid, type, subtype: subtype, about: transaction, renewal: renewal), for: nil)
  }
}

extension EngineFixture {
  /// A user's entitlements.
  func allEntitlements(of user: UserIdentifier = "alice") async throws -> [Entitlement] {
    try await engine.readEntitlements(of: user, in: Self.appEnvironment)
  }

  /// The user's single entitlement.
  func entitlement(of user: UserIdentifier = "alice") async throws -> Entitlement? {
    try await allEntitlements(of: user).first
  }

  func known(_ id: String) async throws -> Payment? { try await payment(TransactionIdentifier(id)) }

  /// The backend's deliveries of a payment, in order: kind and user.
  func told(of id: String) async throws -> [String] {
    try await database.read { database in
      try database.deliveries(of: Self.key(id)).map { delivery in
        let body = try JSONReader.read(delivery.body.utf8)
        return "\(delivery.kind.rawValue) \(body["userId"]?.string ?? "")"
      }
    }
  }
}
