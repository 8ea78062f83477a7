import AppStoreProtocol
import AppStoreSimulator
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import SimulatorCore
import StrictJSON
import TestDoubles
import Testing

private let stranger = ECDSAPrivateKey(curve: .p256, randomBytes: Array(repeating: 9, count: 48))

extension SimulatedShop {
  /// A promotional offer for customers who have, or had, a subscription.
  static let loyal = SimulatedOffer(
    .promotionalOffer, "loyal", payment: .payAsYouGo, period: .month, count: 2, price: 9000)

  /// The signer in the team's name: its key, unless a test uses another one.
  func credentials(
    bundleId: String = app.bundleId, keyId: String? = nil, issuerId: String? = nil, by key: ECDSAPrivateKey? = nil
  ) throws -> AppStoreServerCredentials {
    let ready = store.testAPIKey
    return try AppStoreServerCredentials(
      issuerId: issuerId ?? ready.key.issuerId.text, keyId: keyId ?? ready.key.keyId, bundleId: bundleId,
      privateKey: key ?? ready.testPrivateKey)
  }

  func nonce() throws -> OfferNonce { try #require(OfferNonce("7d3f0a52-1c9e-4b7a-8f11-0c2d3e4f5a6b")) }

  /// The first form of signature, for the token of all purchases here.
  func signature(
    of name: String = "loyal", product: SimulatedProduct = month, token: AppStoreUUID? = token,
    at moment: Timestamp? = nil, by credentials: AppStoreServerCredentials? = nil
  ) throws -> SimulatedOfferSignature {
    .signature(
      (try credentials ?? self.credentials()).signature(
        of: try PromotionalOffer(product: product.id, offer: name),
        appAccountToken: token.flatMap { OrderIdentifier($0.text) }, nonce: try nonce(), at: moment ?? time.now))
  }

  /// The second form of signature.
  func jws(
    of name: String = "loyal", product: SimulatedProduct = month, transaction: String? = nil,
    at moment: Timestamp? = nil, by credentials: AppStoreServerCredentials? = nil
  ) throws -> SimulatedOfferSignature {
    .jws(
      try (try credentials ?? self.credentials()).token(
        of: try PromotionalOffer(product: product.id, offer: name), transaction: transaction, nonce: try nonce(),
        at: moment ?? time.now))
  }

  /// The team's statement of eligibility for an introductory offer.
  func eligibility(
    _ isAllowed: Bool, transaction: String, product: SimulatedProduct = month, at moment: Timestamp? = nil
  ) throws -> String {
    try credentials().introductoryOfferToken(
      for: product.id, isAllowed: isAllowed, transaction: transaction, nonce: try nonce(), at: moment ?? time.now)
  }

  /// A shop with the offer, and a customer with an expired subscription.
  static func lapsed(_ offers: [SimulatedOffer] = [loyal]) async throws -> (SimulatedShop, SimulatedTransaction) {
    let shop = try await SimulatedShop()
    try await shop.offer(offers)
    let first = try await shop.buy(month).transaction
    try await shop.store.subscriptions.setAutoRenew(first.id, to: false)
    await shop.pass(.days(40))
    return (shop, first)
  }

  /// Buys under the offer, with the team's signature.
  func buyLoyal(_ product: SimulatedProduct) async throws -> SimulatedPurchase {
    let signature = try self.signature(product: product)
    return try await buy(product) {
      $0.offerIdentifier = "loyal"
      $0.offerSignature = signature
    }
  }

  /// Whether the store refuses a purchase because of that signature, and charges nothing.
  fileprivate func refuses(_ signature: SimulatedOfferSignature?, _ name: String = "loyal") async throws -> Bool {
    let before = await store.charges().count
    do {
      try await buy(Self.month) {
        $0.offerIdentifier = name
        $0.offerSignature = signature
      }
      return false
    } catch let error as CodedError<SimulatorErrorCode> {
      let after = await store.charges().count
      return error.code == .offerSignatureInvalid && after == before
    }
  }
}

@Suite struct `The signature of a promotional offer` {
  @Test func `has to be present, by a key of the team, and complete (AS-OFF-5)`() async throws {
    let (shop, _) = try await SimulatedShop.lapsed()
    #expect(try await shop.refuses(nil))
    #expect(try await shop.refuses(try shop.signature(by: try shop.credentials(by: stranger))))
    #expect(try await shop.refuses(try shop.signature(by: try shop.credentials(keyId: "ABCDEFGHIJ"))))
    guard case .signature(var spoiled) = try shop.signature() else { return }
    spoiled.signature = "MEUCIQ" + spoiled.signature
    #expect(try await shop.refuses(.signature(spoiled)))
    spoiled.signature = ""
    #expect(try await shop.refuses(.signature(spoiled)))
    #expect(try await !shop.refuses(try shop.signature()))
  }

  @Test func `is valid only for its app, product, offer, token, nonce and time (AS-OFF-5)`() async throws {
    let (shop, _) = try await SimulatedShop.lapsed(
      [
        SimulatedShop.loyal,
        SimulatedOffer(.promotionalOffer, "dear", payment: .payAsYouGo, period: .month, price: 8000),
      ])
    #expect(try await shop.refuses(try shop.signature(by: try shop.credentials(bundleId: "com.example.other"))))
    #expect(try await shop.refuses(try shop.signature(product: SimulatedShop.year)))
    #expect(try await shop.refuses(try shop.signature(of: "dear")))
    #expect(try await shop.refuses(try shop.signature(), "dear"))
    #expect(try await shop.refuses(try shop.signature(token: nil)), "the purchase carries a token")
    #expect(try await shop.refuses(try shop.signature(token: SimulatedShop.device)), "another user's order")
    guard case .signature(var moved) = try shop.signature() else { return }
    moved.timestamp = moved.timestamp + .milliseconds(1)
    #expect(try await shop.refuses(.signature(moved)))
    guard case .signature(var other) = try shop.signature() else { return }
    other.nonce = try #require(OfferNonce("00000000-0000-4000-8000-000000000001"))
    #expect(try await shop.refuses(.signature(other)))
    #expect(try await !shop.refuses(try shop.signature(of: "dear"), "dear"))
  }

  @Test func `is valid for a day of the simulator's clock, and not before its time (AS-OFF-5, AS-OFF-6)`() async throws
  {
    let (shop, _) = try await SimulatedShop.lapsed()
    let now = shop.time.now
    for moment in [now - .hours(24), now + .minutes(2), now - .days(400)] {
      #expect(try await shop.refuses(try shop.signature(at: moment)))
      #expect(try await shop.refuses(try shop.jws(at: moment)))
    }
    #expect(try await !shop.refuses(try shop.signature(at: now - .hours(24) + .milliseconds(1))))
  }

  @Test func `as a JWS is valid only for its app, product, offer and customer (AS-OFF-6)`() async throws {
    let (shop, first) = try await SimulatedShop.lapsed()
    let foreign = try await shop.buy(SimulatedShop.coins, by: SimulatedShop.bob).transaction
    let issuer = "57246542-96fe-1a63-e053-0824d011072a"
    let wrong = [
      try shop.jws(by: try shop.credentials(by: stranger)), try shop.jws(by: try shop.credentials(keyId: "ABCDEFGHIJ")),
      try shop.jws(by: try shop.credentials(issuerId: issuer)),
      try shop.jws(by: try shop.credentials(bundleId: "com.example.other")), try shop.jws(product: SimulatedShop.year),
      try shop.jws(of: "dear"), try shop.jws(transaction: foreign.id.text), try shop.jws(transaction: "999"),
      .jws(""), .jws("a.b.c"), .jws(String(repeating: "a", count: 5000)),
      // A JWS with other content is not an offer.
      .jws(try shop.eligibility(true, transaction: first.id.text)),
    ]
    for token in wrong { #expect(try await shop.refuses(token), "\(token)") }
    guard case .jws(let good) = try shop.jws(transaction: first.id.text) else { return }
    #expect(try await shop.refuses(.jws(String(good.dropLast(4)) + "AAAA")))
    #expect(try await !shop.refuses(.jws(good)))
  }

  @Test func `does not help a customer who never had a subscription (AS-OFF-2)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.offer([SimulatedShop.loyal])
    let signature = try shop.signature()
    await #expect(throws: CodedError(SimulatorErrorCode.offerNotAllowed)) {
      try await shop.buy(SimulatedShop.month) {
        $0.offerIdentifier = "loyal"
        $0.offerSignature = signature
      }
    }
  }

  @Test(arguments: [true, false])
  func `that is valid lets the offer be charged, and the transaction names it (AS-OFF-4, AS-OFF-5, AS-OFF-6)`(
    isJWS: Bool
  ) async throws {
    let (shop, first) = try await SimulatedShop.lapsed()
    let signed = try await shop.store.signedTransaction(first.id, for: nil).signedTransaction
    let download = try #require(try await shop.verified(signed).appTransactionId)
    let signature = isJWS ? try shop.jws(transaction: download) : try shop.signature()
    let bought = try await shop.buy(SimulatedShop.month) {
      $0.offerIdentifier = "loyal"
      $0.offerSignature = signature
    }
    let payload = try await shop.verified(bought.signedTransaction)
    #expect(payload.offerType == .known(.promotionalOffer) && payload.offerIdentifier == "loyal")
    #expect(payload.offerDiscountType == .known(.payAsYouGo) && payload.price == 9000)
    #expect(payload.originalTransactionId == first.id.text)
    #expect(try await shop.restarted().store.state == shop.store.state)
  }

  @Test(.enabled(if: ApplesLibrary.isInstalled, "\(ApplesLibrary.absence)"))
  func `is accepted as Apple's own library makes it, in each form (AS-OFF-5, AS-OFF-6, AS-OFF-7)`() async throws {
    let trial = SimulatedOffer(.introductoryOffer, nil, payment: .freeTrial, period: .week)
    let (shop, first) = try await SimulatedShop.lapsed([SimulatedShop.loyal, trial])
    let (key, now) = (shop.store.testAPIKey, shop.time.now)
    let signed = try ApplesLibrary.read(
      .members([
        ("key", .string(key.testPrivateKeyPEM)), ("keyId", .string(key.key.keyId)),
        ("issuerId", .string(key.key.issuerId.text)), ("bundleId", .string(SimulatedShop.app.bundleId)),
        ("productId", .string(SimulatedShop.month.id.text)), ("offer", "loyal"),
        ("token", .string(SimulatedShop.token.text)), ("nonce", .string(try shop.nonce().text)),
        ("transactionId", .string(first.id.text)), ("now", .integer(now.milliseconds)),
      ]), by: "apple_signs_offers.py"
    ).compactMap(\.string)
    try #require(signed.count == 3)
    let introduced = try await shop.buy(SimulatedShop.month) { $0.introductoryOfferEligibility = signed[2] }
    #expect(introduced.transaction.offer?.offer == trial)
    let form = PromotionalOfferSignature(
      keyIdentifier: key.key.keyId, nonce: try shop.nonce(), timestamp: now, signature: signed[0])
    #expect(try await !shop.refuses(.signature(form)))
    #expect(try await !shop.refuses(.jws(signed[1])))
  }

  @Test func `is available from the control API in both forms (AS-OFF-5, AS-OFF-6)`() async throws {
    let shop = try await ControlledShop()
    try await shop.shop.offer([SimulatedShop.loyal])
    try await shop.shop.buy(SimulatedShop.month)
    let offer: [(String, JSONValue?)] = [
      ("productId", .string(SimulatedShop.month.id.text)), ("offerIdentifier", "loyal"),
      ("appAccountToken", .string(SimulatedShop.token.text)),
    ]
    guard case .signature(let first) = try shop.shop.signature(), case .jws(let second) = try shop.shop.jws() else {
      return
    }
    func form(_ nonce: String) -> JSONValue {
      .members([
        ("keyIdentifier", .string(first.keyIdentifier)), ("nonce", .string(nonce)),
        ("timestamp", .integer(first.timestamp.milliseconds)), ("signature", .string(first.signature)),
      ])
    }
    #expect(try await shop.buy(offer).json["code"]?.string == "simulator_offer_signature_invalid")
    #expect(try await shop.buy(offer + [("offerSignature", form("none"))]).status == 400)
    #expect(try await shop.buy(offer + [("offerJWS", "a.b.c")]).status == 422)
    #expect(try await shop.buy(offer + [("offerSignature", form(first.nonce.text))]).status == 200)
    #expect(try await shop.buy(offer + [("offerJWS", .string(second))]).status == 200)
  }
}

@Suite struct `The team's statement of eligibility for an introductory offer` {
  private static let trial = SimulatedOffer(.introductoryOffer, nil, payment: .freeTrial, period: .week)

  @Test func `has to name a transaction of the customer, and to be from today (AS-OFF-7)`() async throws {
    let (shop, first) = try await SimulatedShop.lapsed([Self.trial])
    let foreign = try await shop.buy(SimulatedShop.coins, by: SimulatedShop.bob).transaction.id.text
    guard case .jws(let offer) = try shop.jws(transaction: first.id.text) else { return }
    for word in [
      try shop.eligibility(true, transaction: foreign), try shop.eligibility(true, transaction: "999"),
      try shop.eligibility(true, transaction: first.id.text, at: shop.time.now - .hours(24)),
      try shop.eligibility(true, transaction: first.id.text, product: SimulatedShop.year), "a.b.c", offer,
    ] {
      await #expect(throws: CodedError(SimulatorErrorCode.offerSignatureInvalid)) {
        try await shop.buy(SimulatedShop.month) { $0.introductoryOfferEligibility = word }
      }
    }
  }

  @Test func `denies it to a customer who would get it (AS-OFF-7)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.offer([Self.trial])
    let coins = try await shop.buy(SimulatedShop.coins).transaction.id.text
    let word = try shop.eligibility(false, transaction: coins)
    let bought = try await shop.buy(SimulatedShop.month) { $0.introductoryOfferEligibility = word }
    #expect(bought.transaction.offer == nil && bought.transaction.price.milliunits == 25_000)
  }

  @Test func `grants it to a customer with an expired subscription (AS-OFF-7)`() async throws {
    let (shop, first) = try await SimulatedShop.lapsed([Self.trial])
    #expect(first.offer != nil)
    let word = try shop.eligibility(true, transaction: first.id.text)
    let bought = try await shop.buy(SimulatedShop.month) { $0.introductoryOfferEligibility = word }
    #expect(bought.transaction.offer?.offer.kind == .introductoryOffer && bought.transaction.price.milliunits == 0)
  }
}
