import AppStoreIntegration
import AppStoreProtocol
import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SigningAuthorities
import StrictJSON
import Testing

private let key = ECDSAPrivateKey(curve: .p256, randomBytes: Array(repeating: 5, count: 48))

/// A shop with a subscription, a key to sign with, and one offer that users may ask for.
private func shop() async throws -> ServerFixture {
  let credentials = try AppStoreServerCredentials(
    issuerId: "57246542-96fe-1a63-e053-0824d011072a", keyId: "ABCDEFGHIJ", bundleId: "com.example.shop",
    privateKey: key)
  let monthly = Product(
    id: "monthly", kind: .autoRenewable, grant: .entitlement("club", period: nil),
    appStoreProducts: ["com.example.monthly", "com.example.monthly2"])
  let catalog = try Catalog(TestCatalog.server + [monthly])
  return try await ServerFixture.open {
    $0.app = { $0.catalog = catalog }
    $0.appStoreServer = AppStoreServerAccess(credentials: credentials)
    $0.appStoreServer?.userOffers = ["winter"]
  }
}

extension ServerFixture {
  fileprivate func offer(
    _ offer: String, as credential: String, _ more: [(String, JSONValue?)] = [], product: String = "monthly"
  ) async -> Answer {
    await ask(
      "POST", "/v1/app-store/offers", as: credential,
      json: .members([("productId", .string(product)), ("offerIdentifier", .string(offer))] + more))
  }

  /// Subscribes alice.
  fileprivate func subscribe() async {
    let order = await order("monthly")
    let evidence = TestAppStoreSigner().transaction(
      "2001", of: "com.example.monthly", token: order, type: "Auto-Renewable Subscription"
    ) { $0["expiresDate"] = .integer((EngineFixture.noon + .days(30)).milliseconds) }
    let answer = await submit(evidence, as: token())
    #expect(answer.payment["verdict"]?.string == "fulfilled")
  }
}

@Suite struct `A promotional offer over HTTP` {
  @Test func `is not signed for a user who may not ask for it`() async throws {
    let front = try await shop()
    // A user who never subscribed.
    #expect(await front.offer("winter", as: front.token()).code == "offer_not_allowed")
    await front.subscribe()
    #expect(await front.offer("winter", as: front.token()).status == 200)
    // Neither an offer that users may not ask for, nor an offer for another user.
    #expect(await front.offer("summer", as: front.token()).code == "offer_not_allowed")
    #expect(await front.offer("winter", as: front.token(of: "bob")).code == "offer_not_allowed")
    #expect(
      await front.offer("winter", as: front.token(), [("userId", "bob")]).code == "user_not_allowed")
    #expect(
      await front.offer("winter", as: front.token(), [("transactionId", "2002")]).code == "transaction_unknown")
    #expect(await front.offer("winter", as: front.keys.publishable).code == "not_allowed")
  }

  @Test func `is not signed for a product without offers, nor with an id that changes the signed text`() async throws {
    let front = try await shop()
    let secret = front.keys.secret
    #expect(await front.offer("winter", as: secret, product: "nothing").code == "product_unknown")
    #expect(await front.offer("winter", as: secret, product: "coins.100").code == "product_not_sold_at_store")
    #expect(
      await front.offer("winter", as: secret, [("appStoreProductId", "com.example.coin")]).code
        == "product_not_sold_at_store")
    #expect(await front.offer("a\u{2063}b", as: secret).code == "offer_not_signable")
    #expect(await front.offer("winter", as: secret, [("transactionId", "x")]).code == "offer_not_signable")
    let order = await front.order()
    #expect(await front.offer("winter", as: secret, [("orderId", .string(order))]).code == "order_unknown")
    let elsewhere = try await ServerFixture.open()
    #expect(await elsewhere.offer("winter", as: elsewhere.keys.secret).code == "product_unknown")
  }

  @Test func `is signed for its order, in both forms, with a new nonce each time, for a day`() async throws {
    let front = try await shop()
    let order = await front.order("monthly")
    let more: [(String, JSONValue?)] = [
      ("userId", "alice"), ("orderId", .string(order)), ("appStoreProductId", "com.example.monthly2"),
      ("transactionId", "2000000943569033"),
    ]
    let answer = await front.offer("summer", as: front.keys.secret, more)
    #expect(answer.status == 200)
    #expect(answer["appAccountToken"]?.string == order)
    #expect(answer["expiresAt"]?.string == (front.now() + .hours(24)).iso8601)
    let signature = PromotionalOfferSignature(
      keyIdentifier: answer["keyIdentifier"]?.string ?? "",
      nonce: try #require(OfferNonce(answer["nonce"]?.string ?? "")),
      timestamp: Timestamp(milliseconds: answer["timestamp"]?.integer ?? 0),
      signature: answer["signature"]?.string ?? "")
    let offer = try PromotionalOffer(product: "com.example.monthly2", offer: "summer")
    #expect(
      signature.isValid(
        for: offer, bundleId: "com.example.shop", appAccountToken: OrderIdentifier(order), by: key.publicKey,
        at: front.now()))
    let token = try #require(CompactJWS((answer["jws"]?.string ?? "").utf8, bytesMax: 4096))
    let parsed = try #require(ECDSASignature(raw: token.signature, curve: .p256))
    #expect(key.publicKey.isValid(parsed, for: token.signed))
    let claims = try JSONReader.read(token.payload)
    #expect(claims["aud"]?.string == "promotional-offer" && claims["transactionId"]?.string == "2000000943569033")
    let again = await front.offer("summer", as: front.keys.secret, more)
    #expect(again["nonce"] != answer["nonce"] && again["jws"] != answer["jws"])
    #expect(claims["nonce"]?.string != answer["nonce"]?.string)
    // The caller cannot use another user's order.
    #expect(
      await front.offer("summer", as: front.keys.secret, [("userId", "bob"), ("orderId", .string(order))]).code
        == "order_unknown")
  }
}

@Suite struct `An introductory offer over HTTP` {
  @Test func `is allowed or denied by the app's backend alone`() async throws {
    let front = try await shop()
    func sign(_ credential: String, _ more: [(String, JSONValue?)]) async -> Answer {
      await front.ask(
        "POST", "/v1/app-store/introductory-offers", as: credential,
        json: .members([("productId", "monthly")] + more))
    }
    let good: [(String, JSONValue?)] = [("allowIntroductoryOffer", .bool(false)), ("transactionId", "77")]
    #expect(await sign(front.token(), good).code == "not_allowed")
    #expect(await sign(front.keys.secret, [("transactionId", "77")]).code == "field_invalid")
    #expect(
      await sign(front.keys.secret, [("allowIntroductoryOffer", .bool(true)), ("transactionId", "../1")]).code
        == "offer_not_signable")
    let answer = await sign(front.keys.secret, good)
    let token = try #require(CompactJWS((answer["jws"]?.string ?? "").utf8, bytesMax: 4096))
    let claims = try JSONReader.read(token.payload)
    #expect(claims["aud"]?.string == "introductory-offer-eligibility")
    #expect(claims["allowIntroductoryOffer"]?.bool == false && claims["productId"]?.string == "com.example.monthly")
    #expect(answer["signature"] == nil && answer["expiresAt"] != nil)
  }
}
