package import Cryptography
package import PaymentPrimitives
import StrictJSON

/// A promotional offer: a reduced price for a current or former subscriber.
///
/// The App Store accepts it only with a signature of the app's In-App Purchase key. There are two forms. The first
/// works with every StoreKit and names the account token. The second is a JWS and may name a transaction of the
/// customer.
package struct PromotionalOffer: Hashable, Sendable {
  /// The App Store's id of the subscription product.
  package let product: StoreProductIdentifier
  /// The offer's id in App Store Connect.
  package let offer: String

  /// How long the App Store accepts a signature. After that, the offer needs a new signature.
  package static let validity = TimeSpan.hours(24)

  /// An offer for a product.
  ///
  /// - Throws: the names contain characters that could change the meaning of the signed text.
  package init(product: StoreProductIdentifier, offer: String) throws(CodedError<AppStoreServerRequestErrorCode>) {
    guard Self.isName(product.text), Self.isName(offer) else { throw CodedError(.offer) }
    self.product = product
    self.offer = offer
  }

  /// A name in a signed text must not contain the separator of that text. App Store Connect allows no other names.
  static func isName(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || byte == 0x2D || byte == 0x2E || byte == 0x5F
      }
  }
}

/// A UUID that makes each signature unique; every signature needs a new one.
package struct OfferNonce: Hashable, Sendable {
  /// The UUID in lower case with dashes.
  package let text: String

  /// A UUID of version 4 of 16 random bytes.
  package init(randomBytes: [UInt8]) {
    precondition(randomBytes.count == 16, "a UUID has 16 bytes")
    let high = randomBytes[0..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let low = randomBytes[8..<16].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let identifier = OrderIdentifier(high: high & ~0xF000 | 0x4000, low: low & 0x3FFF_FFFF_FFFF_FFFF | 1 << 63)
    text = identifier.appAccountToken
  }

  /// Reads an existing UUID; nil for any other form.
  package init?(_ text: String) {
    guard text.utf8.count == 36, let identifier = OrderIdentifier(text) else { return nil }
    self.text = identifier.appAccountToken
  }
}

/// A signature of the first form, with all other values that StoreKit needs.
package struct PromotionalOfferSignature: Hashable, Sendable {
  /// The id of the signing key.
  package var keyIdentifier: String
  package var nonce: OfferNonce
  /// The time of signing; the signed text contains it in milliseconds.
  package var timestamp: Timestamp
  /// The signature in DER form, as Base64.
  package var signature: String

  /// A signature as a client sends it.
  package init(keyIdentifier: String, nonce: OfferNonce, timestamp: Timestamp, signature: String) {
    self.keyIdentifier = keyIdentifier
    self.nonce = nonce
    self.timestamp = timestamp
    self.signature = signature
  }

  /// Whether the key's owner signed this offer for that app and token, and the signature is not expired.
  package func isValid(
    for offer: PromotionalOffer, bundleId: String, appAccountToken: OrderIdentifier?, by key: ECDSAPublicKey,
    at now: Timestamp
  ) -> Bool {
    guard now < timestamp + PromotionalOffer.validity, let der = Base64.decode(signature),
      let parsed = try? ECDSASignature(der: der, curve: .p256)
    else { return false }
    let message = Self.message(
      offer, bundleId, keyIdentifier: keyIdentifier, token: appAccountToken, nonce: nonce, timestamp: timestamp)
    return key.isValid(parsed, for: message)
  }

  /// The signed text: the parts in Apple's order, joined by the invisible separator U+2063.
  ///
  /// Source: "Generating a signature for promotional offers".
  static func message(
    _ offer: PromotionalOffer, _ bundleId: String, keyIdentifier: String, token: OrderIdentifier?,
    nonce: OfferNonce, timestamp: Timestamp
  ) -> [UInt8] {
    let parts = [
      bundleId, keyIdentifier, offer.product.text, offer.offer, token?.appAccountToken ?? "", nonce.text,
      String(timestamp.milliseconds),
    ]
    return Array(parts.joined(separator: "\u{2063}").utf8)
  }
}

extension AppStoreServerCredentials {
  /// Signs an offer in the first form.
  ///
  /// - Parameter appAccountToken: the token that the purchase will carry. With another token, the App Store rejects the
  ///   offer.
  package func signature(
    of offer: PromotionalOffer, appAccountToken: OrderIdentifier?, nonce: OfferNonce, at now: Timestamp
  ) -> PromotionalOfferSignature {
    let message = PromotionalOfferSignature.message(
      offer, bundleId, keyIdentifier: keyId, token: appAccountToken, nonce: nonce, timestamp: now)
    return PromotionalOfferSignature(
      keyIdentifier: keyId, nonce: nonce, timestamp: now, signature: Base64.encode(signature(for: message).der))
  }

  /// Signs an offer as a JWS.
  ///
  /// - Parameter transaction: any transaction of the customer, or the customer's `appTransactionId`. With nil, every
  ///   user who has the JWS can use it.
  /// - Throws: the transaction id is not a number in Apple's form.
  package func token(
    of offer: PromotionalOffer, transaction: String?, nonce: OfferNonce, at now: Timestamp
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> String {
    let transaction = try Self.checked(transaction)
    return token(
      of: claims(
        "promotional-offer", nonce, now: now,
        more: [
          ("productId", .string(offer.product.text)), ("offerIdentifier", .string(offer.offer)),
          ("transactionId", transaction.map(JSONValue.string)),
        ]))
  }

  /// Signs whether a customer may use a product's introductory offer, if the team knows better than the App Store.
  ///
  /// - Parameter transaction: any transaction of the customer, or the customer's `appTransactionId`.
  /// - Throws: the names cannot be signed.
  package func introductoryOfferToken(
    for product: StoreProductIdentifier, isAllowed: Bool, transaction: String, nonce: OfferNonce, at now: Timestamp
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> String {
    guard PromotionalOffer.isName(product.text) else { throw CodedError(.offer) }
    let transaction = try AppStoreServerPath.number(transaction)
    return token(
      of: claims(
        "introductory-offer-eligibility", nonce, now: now,
        more: [
          ("productId", .string(product.text)), ("allowIntroductoryOffer", .bool(isAllowed)),
          ("transactionId", .string(transaction)),
        ]))
  }

  private static func checked(_ number: String?) throws(CodedError<AppStoreServerRequestErrorCode>) -> String? {
    guard let number else { return nil }
    return try AppStoreServerPath.number(number)
  }

  /// The claims of every JWS for StoreKit. There is no expiry claim: the App Store counts from `iat`.
  private func claims(
    _ audience: String, _ nonce: OfferNonce, now: Timestamp, more: [(String, JSONValue?)]
  ) -> JSONValue {
    .members(
      [
        ("iss", .string(issuerId)), ("iat", .integer(now.seconds)), ("aud", .string(audience)),
        ("bid", .string(bundleId)), ("nonce", .string(nonce.text)),
      ] + more)
  }
}
