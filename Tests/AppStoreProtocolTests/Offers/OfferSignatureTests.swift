import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import StrictJSON
import TestFixtures
import Testing

/// What is signed in these tests.
private enum Sample {
  static let product: StoreProductIdentifier = "com.example.monthly"
  static let transaction = "2000000943569033"
  static func offer() throws -> PromotionalOffer { try PromotionalOffer(product: product, offer: "winter-24") }
  static func nonce(_ byte: UInt8 = 7) -> OfferNonce { OfferNonce(randomBytes: Array(repeating: byte, count: 16)) }
  static let now = ServerAPIBench.now
  static let token = ServerAPIBench.token

  static func signature() throws -> PromotionalOfferSignature {
    try ServerAPIBench.credentials().signature(of: offer(), appAccountToken: token, nonce: nonce(), at: now)
  }
}

@Suite struct `The signature of a promotional offer` {
  private func isValid(
    _ signature: PromotionalOfferSignature, _ offer: PromotionalOffer? = nil, bundleId: String = "com.example",
    token: OrderIdentifier? = Sample.token, at now: Timestamp = Sample.now
  ) throws -> Bool {
    signature.isValid(
      for: try offer ?? Sample.offer(), bundleId: bundleId, appAccountToken: token, by: ServerAPIBench.key.publicKey,
      at: now)
  }

  @Test(arguments: ["", "a\u{2063}b", "a b", "ü", "a/b", "a\n", String(repeating: "a", count: 256)])
  func `is refused for a name that could change the meaning of the signed text`(name: String) {
    #expect(throws: CodedError<AppStoreServerRequestErrorCode>(.offer)) {
      _ = try PromotionalOffer(product: Sample.product, offer: name)
    }
    #expect(throws: CodedError<AppStoreServerRequestErrorCode>.self) {
      _ = try PromotionalOffer(product: StoreProductIdentifier(name), offer: "winter")
    }
  }

  @Test func `is valid for its own offer, app, token, nonce and time only`() throws {
    let signature = try Sample.signature()
    #expect(try isValid(signature))
    #expect(try !isValid(signature, PromotionalOffer(product: "com.example.yearly", offer: "winter-24")))
    #expect(try !isValid(signature, PromotionalOffer(product: Sample.product, offer: "winter-25")))
    #expect(try !isValid(signature, bundleId: "com.example.other"))
    #expect(try !isValid(signature, token: nil))
    #expect(try !isValid(signature, token: OrderIdentifier(high: 1, low: 2)))
    var changed = signature
    changed.nonce = Sample.nonce(8)
    #expect(try !isValid(changed))
    changed = signature
    changed.timestamp = Sample.now + .milliseconds(1)
    #expect(try !isValid(changed))
    changed = signature
    changed.keyIdentifier = "OTHER"
    #expect(try !isValid(changed))
    for text in ["", "AAAA", "not Base64!", String(signature.signature.dropLast(4))] {
      changed = signature
      changed.signature = text
      #expect(try !isValid(changed))
    }
  }

  @Test func `is valid for 24 hours`() throws {
    let signature = try Sample.signature()
    #expect(try isValid(signature, at: Sample.now + .hours(24) - .milliseconds(1)))
    #expect(try !isValid(signature, at: Sample.now + .hours(24)))
  }

  @Test func `has a nonce that is a UUID in lower case`() {
    let nonce = Sample.nonce(0xFF)
    #expect(nonce.text == "ffffffff-ffff-4fff-bfff-ffffffffffff")
    #expect(OfferNonce(nonce.text.uppercased()) == nonce)
    #expect(OfferNonce("winter") == nil && OfferNonce("ffffffffffff4fffbfffffffffffffff") == nil)
  }

  @Test func `as a JWS is refused for a transaction that is not one of Apple's numbers`() throws {
    let credentials = try ServerAPIBench.credentials()
    for transaction in ["", "1 OR 1", "../1", "x"] {
      #expect(throws: CodedError<AppStoreServerRequestErrorCode>.self) {
        _ = try credentials.token(
          of: Sample.offer(), transaction: transaction, nonce: Sample.nonce(), at: Sample.now)
      }
      #expect(throws: CodedError<AppStoreServerRequestErrorCode>.self) {
        _ = try credentials.introductoryOfferToken(
          for: Sample.product, isAllowed: true, transaction: transaction, nonce: Sample.nonce(), at: Sample.now)
      }
    }
  }

  @Test func `as a JWS names no transaction if none is given`() throws {
    let token = try ServerAPIBench.credentials().token(
      of: Sample.offer(), transaction: nil, nonce: Sample.nonce(), at: Sample.now)
    let payload = try #require(CompactJWS(token.utf8, bytesMax: 4096)?.payload)
    let claims = try JSONReader.read(payload)
    #expect(claims["transactionId"] == nil && claims["exp"] == nil)
    #expect(claims["offerIdentifier"]?.string == "winter-24")
  }
}

/// Our signatures for StoreKit beside those of Apple's own library for Python (`app-store-server-library`).
@Suite(.enabled(if: PythonTool.isPresent, "\(PythonTool.absence)"))
struct `A signature for StoreKit, beside Apple's library` {
  private func answer() throws -> JSONValue {
    let credentials = try ServerAPIBench.credentials()
    let nonce = Sample.nonce()
    let pem = ServerAPIBench.key.pkcs8.withBytes { PEM.text(label: "PRIVATE KEY", bytes: $0) }
    let question = JSONValue.members([
      ("key", .string(pem)),
      ("publicKey", .string(PEM.text(label: "PUBLIC KEY", bytes: ServerAPIBench.key.publicKey.spki))),
      ("keyId", .string(credentials.keyId)), ("issuerId", .string(credentials.issuerId)),
      ("bundleId", .string(credentials.bundleId)), ("productId", .string(Sample.product.text)),
      ("offer", "winter-24"), ("token", .string(Sample.token.appAccountToken)), ("nonce", .string(nonce.text)),
      ("timestamp", .integer(Sample.now.milliseconds)),
      ("signature", .string(try Sample.signature().signature)), ("transactionId", .string(Sample.transaction)),
      (
        "promotional",
        .string(
          try credentials.token(
            of: Sample.offer(), transaction: Sample.transaction, nonce: nonce, at: Sample.now))
      ),
      (
        "introductory",
        .string(
          try credentials.introductoryOfferToken(
            for: Sample.product, isAllowed: false, transaction: Sample.transaction, nonce: nonce, at: Sample.now))
      ),
    ])
    return try PythonTool.run("apple_offers.py", input: question) { [$0, $1] }
  }

  @Test func `of the first form signs the same text, and we accept theirs`() throws {
    let answer = try answer()
    #expect(answer["firstForm"]?.bool == true)
    var theirs = try Sample.signature()
    theirs.signature = try #require(answer["signature"]?.string)
    #expect(
      theirs.isValid(
        for: try Sample.offer(), bundleId: "com.example", appAccountToken: Sample.token,
        by: ServerAPIBench.key.publicKey, at: Sample.now))
  }

  @Test func `as a JWS has the same header and claims, except nonce and time`() throws {
    let answer = try answer()
    let ours = try #require(answer["ours"]?.array)
    let theirs = try #require(answer["theirs"]?.array)
    #expect(ours.count == 2 && theirs.count == 2)
    for (mine, its) in zip(ours, theirs) {
      #expect(mine["header"]?.sorted == its["header"]?.sorted)
      let own: [(String, JSONValue?)] = [("nonce", nil), ("iat", nil)]
      #expect(mine["claims"]?.with(own).sorted == its["claims"]?.with(own).sorted)
      #expect(mine["claims"]?["nonce"]?.string == Sample.nonce().text)
      #expect(mine["claims"]?["iat"]?.integer == Sample.now.seconds)
    }
  }
}
