import AppStoreProtocol
import AppStoreSimulator
import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import StrictJSON

/// Builds the requests of one flood from the data that the stores have signed so far.
struct WorldFlood: Sendable {
  let flood: FloodPlan.Flood
  let now: Timestamp
  /// Transactions and notifications of the main app, as the App Store signs them.
  let transactions: [String]
  let notifications: [String]
  let authority: SimulatedSigningAuthority
  /// The identifier of WeChat Pay's public key.
  let platform: String

  private static let notificationPath = "/notifications/app-store"
  private static let paymentPath = "/v1/payments/app-store"
  /// The number of different certificate chains in one flood; making one takes some milliseconds.
  private static let chainsMax = 24

  /// The requests; empty if there is nothing yet to repeat or modify.
  func requests(_ chance: inout SeededChance) -> [HTTPRequest] {
    let chains = falseChains(&chance)
    return (0..<flood.requests).compactMap { number in
      switch flood.kind {
      case .garbage: garbage(&chance)
      case .inventedAuthorities, .falseLeaves:
        chance.pick(chains).flatMap { forged(number, by: $0, &chance) }
      case .badTokens: withBadToken(&chance)
      case .repeatedNotifications: chance.pick(notifications).map { Self.notification(.string($0)) }
      case .forgedWeChatPay: forgedWeChatPay(&chance)
      case .othersEvidence: chance.pick(transactions).map { payment($0) }
      }
    }
  }

  // MARK: requests to the App Store endpoints

  private func garbage(_ chance: inout SeededChance) -> HTTPRequest {
    let bytes = chance.bytes(1 + chance.number(below: 2000))
    switch chance.number(below: 4) {
    case 0: return Self.post(Self.notificationPath, bytes)
    case 1: return Self.notification(.string(Base64URL.encode(bytes)))
    case 2: return Self.notification(.string(Self.words(bytes)))
    default: return payment(Self.words(bytes))
    }
  }

  /// Three Base64URL parts separated by points, in the form of a JWS.
  private static func words(_ bytes: [UInt8]) -> String {
    [bytes.prefix(90), bytes.dropFirst(90), bytes.prefix(64)].map { Base64URL.encode(Array($0)) }
      .joined(separator: ".")
  }

  private static func notification(_ signed: JSONValue) -> HTTPRequest {
    post(notificationPath, JSONValue.members([("signedPayload", signed)]).bytes)
  }

  private func payment(_ evidence: String) -> HTTPRequest {
    let token = WorldShop.userToken(for: CheatingUser.id, at: now)
    let body = JSONValue.members([("evidence", .string(evidence)), ("restore", .bool(true))])
    return Self.post(Self.paymentPath, body.bytes, fields: ["Authorization": "Bearer \(token)"])
  }

  private static func post(_ path: String, _ body: [UInt8], fields: HTTPFields = HTTPFields()) -> HTTPRequest {
    var fields = fields
    fields.set("Content-Type", "application/json")
    return HTTPRequest("POST", path, fields: fields, body: body)
  }

  // MARK: false certificates

  private struct FalseChain {
    let chain: SigningChain
    let header: [UInt8]
  }

  /// Chains of a false authority: under its own root, or with its leaves under the genuine intermediate.
  private func falseChains(_ chance: inout SeededChance) -> [FalseChain] {
    guard flood.kind == .inventedAuthorities || flood.kind == .falseLeaves else { return [] }
    let (start, end) = (now - .days(300), now + .days(300))
    let own = AppleShapedAuthority(
      name: "Counterfoil Simulator", randomBytes: chance.bytes(48), notBefore: start, notAfter: end)
    return (0..<Self.chainsMax).map { number in
      let chain = own.signingChain(
        serialNumber: UInt32(number + 1), randomBytes: chance.bytes(32), notBefore: start, notAfter: end)
      var certificates = chain.certificates
      if flood.kind == .falseLeaves {
        certificates = [certificates[0], authority.intermediate, authority.root]
      } else if number.isMultiple(of: 2) {
        certificates[2] = authority.root
      }
      let header = JSONValue.members([
        ("alg", .string("ES256")), ("x5c", .array(certificates.map { .string(Base64.encode($0.der)) })),
      ])
      return FalseChain(chain: chain, header: header.bytes)
    }
  }

  /// A genuine payload with changed content, signed by a false chain.
  private func forged(_ number: Int, by chain: FalseChain, _ chance: inout SeededChance) -> HTTPRequest? {
    let isPayment = chance.happens(perMille: 500)
    guard let genuine = chance.pick(isPayment ? transactions : notifications),
      let payload = genuine.split(separator: ".").dropFirst().first.flatMap({ Base64URL.decode(String($0)) }),
      let claims = try? JSONReader.read(payload)
    else { return nil }
    let name = isPayment ? "transactionId" : "notificationUUID"
    guard let known = claims[name]?.string else { return nil }
    let invented = isPayment ? "\(666_000_000_000 + number)" : String(known.reversed())
    let text = String(decoding: payload, as: UTF8.self).replacing(known, with: invented)
    let signed = chain.chain.sign(Array(text.utf8), header: chain.header)
    return isPayment ? payment(signed) : Self.notification(.string(signed))
  }

  // MARK: requests to other endpoints

  private func withBadToken(_ chance: inout SeededChance) -> HTTPRequest {
    var token: String
    switch chance.number(below: 3) {
    case 0: token = WorldShop.userToken(for: CheatingUser.id, at: now) + "A"
    case 1: token = WorldShop.userToken(for: CheatingUser.id, at: now - .days(2))
    default: token = WorldShop.userToken(for: CheatingUser.id, by: "nobody-1", at: now)
    }
    // Often a different token each time, because a token that is known to be bad costs less to reject.
    if chance.happens(perMille: 500) { token += Base64URL.encode(chance.bytes(3)) }
    let body = JSONValue.members([("productId", "coins.100"), ("store", "appStore"), ("platform", "ios")])
    return Self.post("/v1/orders", body.bytes, fields: ["Authorization": "Bearer \(token)"])
  }

  private func forgedWeChatPay(_ chance: inout SeededChance) -> HTTPRequest {
    let body = JSONValue.members([
      ("id", .string("forged-\(chance.number(below: 1_000_000))")), ("event_type", "TRANSACTION.SUCCESS"),
      ("resource_type", "encrypt-resource"),
      (
        "resource",
        .members([
          ("algorithm", "AEAD_AES_256_GCM"), ("original_type", "transaction"),
          ("ciphertext", .string(Base64.encode(chance.bytes(200)))), ("nonce", "aaaaaaaaaaaa"),
          ("associated_data", "transaction"),
        ])
      ),
    ])
    let isKeyKnown = chance.happens(perMille: 700)
    return Self.post(
      "/notifications/wechat-pay/\(WorldShop.id)", body.bytes,
      fields: [
        "Wechatpay-Timestamp": "\(now.seconds)", "Wechatpay-Nonce": "0123456789abcdef0123456789abcdef",
        "Wechatpay-Serial": isKeyKnown ? platform : "5157F09EFDC096DE15EBE81A47057A72FFFFFFFF",
        "Wechatpay-Signature": Base64.encode(chance.bytes(256)),
        "Wechatpay-Signature-Type": "WECHATPAY2-SHA256-RSA2048",
      ])
  }
}
