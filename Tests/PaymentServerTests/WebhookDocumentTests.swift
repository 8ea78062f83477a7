import AppStoreIntegration
import AppStoreProtocol
import CounterfoilAPI
import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SigningAuthorities
import SimulationKit
import StrictJSON
import Testing

/// The section `webhooks` of the document, compared with what is sent.
@Suite struct `The documented webhooks` {
  private static func webhooks() async throws -> JSONValue {
    let front = try await ServerFixture.open()
    return try #require(await front.ask("GET", "/openapi.json").json["webhooks"])
  }

  private static func content(_ webhooks: JSONValue, _ type: String) -> JSONValue? {
    webhooks[type]?["post"]?["requestBody"]?["content"]?["application/json"]
  }

  /// The names of all members, at every depth.
  private static func paths(_ value: JSONValue, below path: String = "") -> Set<String> {
    (value.object ?? []).reduce(into: []) { paths, member in
      let own = path + "." + member.name
      paths.insert(own)
      paths.formUnion(Self.paths(member.value, below: own))
    }
  }

  @Test func `are those of grants, and every type of event`() async throws {
    let webhooks = try await Self.webhooks()
    let names = Delivery.Kind.allCases.map(\.type) + EventType.allCases.map(\.rawValue)
    #expect(webhooks.object?.map(\.name) == names)
  }

  @Test func `show an example of each event that has the members of what is sent`() async throws {
    let webhooks = try await Self.webhooks()
    let sent = try await EventScript().play()
    for type in EventType.allCases {
      let example = try #require(Self.content(webhooks, type.rawValue)?["example"])
      #expect(example["type"]?.string == type.rawValue)
      let members = sent.filter { $0["type"]?.string == type.rawValue }.map { Self.paths($0).sorted() }
      #expect(members.contains(Self.paths(example).sorted()), "\(type.rawValue) is sent as \(members)")
    }
  }
}

/// A shop in which everything happens of which an event tells.
private struct EventScript {
  private static let noon = EngineFixture.noon

  private static var credentials: AppStoreServerCredentials {
    get throws {
      try AppStoreServerCredentials(
        issuerId: "57246542-96fe-1a63-e053-0824d011072a", keyId: "ABCDEFGHIJ", bundleId: "com.example.shop",
        privateKey: ECDSAPrivateKey(curve: .p256, randomBytes: Array(repeating: 5, count: 48)))
    }
  }

  private func days(_ days: Int64) -> Timestamp { Self.noon + .days(days) }

  func play() async throws -> [JSONValue] {
    let credentials = try Self.credentials
    let front = try await ServerFixture.open { changes in
      changes.app = { app in
        app.events = true
        app.credits = [CreditCeiling(unit: "coin", perUserAndDay: 50)]
        if let catalog = try? Catalog(TestCatalog.appStore) { app.catalog = catalog }
      }
      var access = AppStoreServerAccess(credentials: credentials)
      access.confirmsOldSignatures = false
      changes.appStoreServer = access
    }
    front.clock.advance(by: .days(200))
    try await buy(front)
    try await subscribe(front)
    return try await events(front)
  }

  private func events(_ front: ServerFixture) async throws -> [JSONValue] {
    let answer = await front.ask("GET", "/v1/events?limit=100", as: front.keys.secret)
    return (answer["events"]?.array ?? []).compactMap { $0["event"] }
  }

  private func order(_ front: ServerFixture, _ reference: String) async -> String {
    let answer = await front.ask(
      "POST", "/v1/orders", as: front.keys.secret,
      json: .members([
        ("userId", "alice"), ("productId", "coins.100"), ("store", "appStore"), ("reference", .string(reference)),
      ]), fields: ["Idempotency-Key": reference])
    return answer["id"]?.string ?? ""
  }

  private func coins(
    _ id: String, _ order: String?, signed: Timestamp? = nil, of product: String = "com.example.coins100",
    _ change: (inout [String: JSONValue]) -> Void = { _ in }
  ) -> String {
    TestAppStoreSigner(at: days(200)).transaction(id, of: product, token: order) { payload in
      (payload["price"], payload["currency"], payload["storefront"]) = (.integer(6000), "CNY", "CHN")
      if let signed { payload["signedDate"] = .integer(signed.milliseconds) }
      change(&payload)
    }
  }

  private func notify(_ front: ServerFixture, _ type: String, about transaction: String?, renewal: String? = nil) async
  {
    let signer = TestAppStoreSigner(at: front.now())
    let uuid = APIKeyText.digest(of: type + (transaction ?? "") + (renewal ?? ""))
    let payload = signer.signing.sign(
      .members([
        ("notificationType", .string(type)), ("notificationUUID", .string(uuid)),
        ("version", "2.0"), ("signedDate", .integer(front.now().milliseconds)),
        (
          "data",
          .members([
            ("environment", "Production"), ("bundleId", "com.example.shop"), ("appAppleId", .integer(1234)),
            ("consumptionRequestReason", type == "CONSUMPTION_REQUEST" ? "UNINTENDED_PURCHASE" : nil),
            ("signedTransactionInfo", transaction.map(JSONValue.string)),
            ("signedRenewalInfo", renewal.map(JSONValue.string)),
          ])
        ),
      ]))
    _ = await front.ask("POST", "/notifications/app-store", json: .members([("signedPayload", .string(payload))]))
  }

  /// Coins: bought, held, unclaimed, claimed, refunded; an order closed; a debit and a credit.
  private func buy(_ front: ServerFixture) async throws {
    let bought = await order(front, "M-1")
    await front.submit(coins("1001", bought), as: front.token())
    await front.submit(coins("1002", nil, of: "com.example.unknown"), as: front.token())
    await notify(front, "ONE_TIME_CHARGE", about: coins("1003", nil))
    let claimed = await order(front, "M-2")
    await front.submit(coins("1003", nil), as: front.token())
    _ = claimed
    _ = await front.debit(30, "game-1", more: [("reason", "a sword")])
    let key = try await front.engine.createKey(.secret, for: "shop", label: "rewards", mayCredit: true).text
    _ = await front.ask(
      "POST", "/v1/users/alice/balances/coin/credits", as: key,
      json: .members([("amount", .integer(1)), ("id", "r1"), ("reason", "daily reward")]))
    try await giveEntitlement(front)
    let closed = await order(front, "M-3")
    _ = await front.ask("POST", "/v1/orders/\(closed)/close", as: front.keys.secret, json: .members([]))
    _ = await front.ask(
      "POST", "/v1/orders", as: front.keys.secret,
      json: .members([("userId", "guest"), ("productId", "coins.100"), ("store", "appStore")]))
    _ = await front.ask("POST", "/v1/users/alice/merge", as: front.keys.secret, json: .members([("from", "guest")]))
    _ = await front.ask(
      "POST", "/v1/orders", as: front.keys.secret,
      json: .members([("userId", "leaver"), ("productId", "coins.100"), ("store", "appStore")]))
    let eraser = try await front.engine.createKey(.secret, for: "shop", label: "privacy", mayErase: true).text
    _ = await front.ask("POST", "/v1/users/leaver/erase", as: eraser, json: .members([]))
    front.clock.advance(by: .days(1))
    await notify(front, "CONSUMPTION_REQUEST", about: coins("1001", bought))
    await notify(front, "REFUND_DECLINED", about: coins("1001", bought))
    let refunded = coins("1001", bought, signed: days(200) + .hours(1)) {
      $0["revocationDate"] = .integer((days(200) + .minutes(30)).milliseconds)
    }
    await notify(front, "REFUND", about: refunded)
    await notify(front, "REFUND_REVERSED", about: coins("1001", bought, signed: days(200) + .hours(2)))
  }

  private func giveEntitlement(_ front: ServerFixture) async throws {
    let key = try await front.engine.createKey(.secret, for: "shop", label: "support", mayGiveEntitlements: true).text
    let path = "/v1/users/alice/promotional-entitlements"
    _ = await front.ask(
      "POST", path, as: key,
      json: .members([
        ("entitlement", "premium"), ("until", .string((front.now() + .days(7)).iso8601)), ("id", "t1"),
        ("reason", "no service"),
      ]))
    _ = await front.ask("POST", path + "/t1/revoke", as: key, json: .members([("reason", "given to the wrong user")]))
  }

  private func period(
    _ id: String, _ day: Int64, signed: Int64? = nil, days span: Int64 = 30, offer: Bool = false
  ) -> String {
    TestAppStoreSigner(at: days(day)).transaction(
      id, of: "com.example.monthly", type: "Auto-Renewable Subscription"
    ) { payload in
      payload["originalTransactionId"] = "9001"
      payload["originalPurchaseDate"] = .integer(Self.noon.milliseconds)
      payload["expiresDate"] = .integer(days(day + span).milliseconds)
      payload["signedDate"] = .integer(days(signed ?? day).milliseconds)
      payload["transactionReason"] = ["9001", "9005"].contains(id) ? "PURCHASE" : "RENEWAL"
      (payload["price"], payload["currency"], payload["storefront"]) = (.integer(18_000), "CNY", "CHN")
      guard offer else { return }
      (payload["offerType"], payload["offerIdentifier"]) = (.integer(2), "winter")
      (payload["offerDiscountType"], payload["offerPeriod"]) = ("PAY_AS_YOU_GO", "P1M")
    }
  }

  private func renewal(_ day: Int64, _ change: (inout [String: JSONValue]) -> Void = { _ in }) -> String {
    var payload: [String: JSONValue] = [
      "originalTransactionId": "9001", "autoRenewProductId": "com.example.monthly", "productId": "com.example.monthly",
      "autoRenewStatus": .integer(1), "signedDate": .integer(days(day).milliseconds), "environment": "Production",
      "isInBillingRetryPeriod": .bool(false), "renewalDate": .integer(days(day + 30).milliseconds),
      "renewalPrice": .integer(18_000), "currency": "CNY",
    ]
    change(&payload)
    return TestAppStoreSigner.signing.sign(
      .object(payload.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value) }))
  }

  /// A subscription through every state.
  private func subscribe(_ front: ServerFixture) async throws {
    await front.submit(period("9001", 0), as: front.token())
    await notify(front, "SUBSCRIBED", about: period("9001", 0), renewal: renewal(0))
    await notify(
      front, "DID_CHANGE_RENEWAL_PREF", about: period("9001", 0, signed: 1),
      renewal: renewal(1) {
        $0["autoRenewProductId"] = "com.example.yearly"
      })
    await notify(
      front, "PRICE_INCREASE", about: period("9001", 0, signed: 2),
      renewal: renewal(2) {
        $0["priceIncreaseStatus"] = .integer(0)
      })
    await notify(
      front, "PRICE_INCREASE", about: period("9001", 0, signed: 3),
      renewal: renewal(3) {
        $0["priceIncreaseStatus"] = .integer(1)
      })
    await notify(
      front, "DID_FAIL_TO_RENEW", about: period("9001", 0, signed: 30),
      renewal: renewal(30) {
        $0["isInBillingRetryPeriod"] = .bool(true)
      })
    await notify(
      front, "DID_FAIL_TO_RENEW", about: period("9001", 0, signed: 31),
      renewal: renewal(31) {
        $0["isInBillingRetryPeriod"] = .bool(true)
        $0["gracePeriodExpiresDate"] = .integer(days(46).milliseconds)
      })
    await notify(front, "DID_RENEW", about: period("9002", 32), renewal: renewal(32))
    await notify(front, "RENEWAL_EXTENDED", about: period("9002", 32, signed: 33, days: 40))
    await notify(front, "OFFER_REDEEMED", about: period("9003", 62, offer: true), renewal: renewal(62))
    await notify(front, "DID_RENEW", about: period("9004", 92), renewal: renewal(92))
    let off = renewal(93) { $0["autoRenewStatus"] = .integer(0) }
    await notify(front, "DID_CHANGE_RENEWAL_STATUS", about: period("9004", 92, signed: 93), renewal: off)
    let expired = renewal(122) {
      $0["autoRenewStatus"] = .integer(0)
      $0["expirationIntent"] = .integer(1)
    }
    await notify(front, "EXPIRED", about: period("9004", 92, signed: 122), renewal: expired)
    // Bought again after the lapse.
    await notify(front, "SUBSCRIBED", about: period("9005", 130), renewal: renewal(130))
  }
}
