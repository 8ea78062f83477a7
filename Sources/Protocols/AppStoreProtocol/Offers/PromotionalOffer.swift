package import Cryptography
package import PaymentPrimitives
import StrictJSON

/// A promotional offer that a customer is allowed to use: a reduced price for somebody who is, or was, a subscriber.
///
/// The App Store takes it only with a signature of the app's In-App Purchase key. There are two forms: the first one,
/// for every StoreKit, which names the account token; and a JWS, which may name a transaction of the customer.
package struct PromotionalOffer: Hashable, Sendable {
  /// The App Store's id of the subscription.
  package let product: StoreProductIdentifier
  /// The offer's id in App Store Connect.
  package let offer: String

  /// How long the App Store takes a signature: what is not used by then has to be signed anew.
  package static let validity = TimeSpan.hours(24)

  /// An offer for a product.
  ///
  /// - Throws: names with which a signature could say something else than it seems to.
  package init(product: StoreProductIdentifier, offer: String) throws(CodedError<AppStoreServerRequestErrorCode>) {
    guard Self.isName(product.text), Self.isName(offer) else { throw CodedError(.offer) }
    self.product = product
    self.offer = offer
  }

  /// What stands in a signed text between separators must not hold one: App Store Connect takes nothing else either.
  static func isName(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || byte == 0x2D || byte == 0x2E || byte == 0x5F
      }
  }
}

/// A number that makes each signature one of its own: a UUID, new for each.
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

  /// A UUID that somebody else made; nil for another form.
  package init?(_ text: String) {
    guard text.utf8.count == 36, let identifier = OrderIdentifier(text) else { return nil }
    self.text = identifier.appAccountToken
  }
}

/// A signature of the first form, with all that StoreKit is handed beside it.
package struct PromotionalOfferSignature: Hashable, Sendable {
  /// The id of the key that signed.
  package var keyIdentifier: String
  package var nonce: OfferNonce
  /// When it was made; in milliseconds where it is signed.
  package var timestamp: Timestamp
  /// Base64 of the DER form.
  package var signature: String

  /// A signature as a client brings it.
  package init(keyIdentifier: String, nonce: OfferNonce, timestamp: Timestamp, signature: String) {
    self.keyIdentifier = keyIdentifier
    self.nonce = nonce
    self.timestamp = timestamp
    self.signature = signature
  }

  /// Whether the owner of a key signed this offer for that app and token, and the time of it is not over.
  package func isValid(
    for offer: PromotionalOffer, bundleId: String, appAccountToken: OrderIdentifier?, by key: ECDSAPublicKey,
    at now: Timestamp
  ) -> Bool {
    guard now < timestamp + PromotionalOffer.validity, let der = Base64.decode(signature),
      let parsed = try? ECDSASignature(der: der, curve: .p256)
    else { return false }
    let message = Self.message(offer, bundleId, keyIdentifier, appAccountToken, nonce, timestamp)
    return key.isValid(parsed, for: message)
  }

  /// The signed text: the parts in Apple's order, joined by the invisible separator U+2063.
  ///
  /// Source: "Generating a signature for promotional offers".
  static func message(
    _ offer: PromotionalOffer, _ bundleId: String, _ keyIdentifier: String, _ token: OrderIdentifier?,
    _ nonce: OfferNonce, _ timestamp: Timestamp
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
  /// - Parameter appAccountToken: what the purchase will carry; another one makes the App Store refuse the offer.
  package func signature(
    of offer: PromotionalOffer, appAccountToken: OrderIdentifier?, nonce: OfferNonce, at now: Timestamp
  ) -> PromotionalOfferSignature {
    let message = PromotionalOfferSignature.message(offer, bundleId, keyId, appAccountToken, nonce, now)
    return PromotionalOfferSignature(
      keyIdentifier: keyId, nonce: nonce, timestamp: now, signature: Base64.encode(signature(for: message).der))
  }

  /// Signs an offer as a JWS.
  ///
  /// - Parameter transaction: any transaction of the customer, or his `appTransactionId`; nil lets everybody use it
  ///   who gets hold of it.
  /// - Throws: a transaction that is no number of Apple's.
  package func token(
    of offer: PromotionalOffer, transaction: String?, nonce: OfferNonce, at now: Timestamp
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> String {
    let transaction = try Self.checked(transaction)
    return token(
      of: claims(
        "promotional-offer", nonce, now,
        [
          ("productId", .string(offer.product.text)), ("offerIdentifier", .string(offer.offer)),
          ("transactionId", transaction.map(JSONValue.string)),
        ]))
  }

  /// Says whether a customer may have a product's introductory offer, where the team knows better than the App Store.
  ///
  /// - Parameter transaction: any transaction of the customer, or his `appTransactionId`.
  /// - Throws: names that cannot be signed.
  package func introductoryOfferToken(
    for product: StoreProductIdentifier, isAllowed: Bool, transaction: String, nonce: OfferNonce, at now: Timestamp
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> String {
    guard PromotionalOffer.isName(product.text) else { throw CodedError(.offer) }
    let transaction = try AppStoreServerPath.number(transaction)
    return token(
      of: claims(
        "introductory-offer-eligibility", nonce, now,
        [
          ("productId", .string(product.text)), ("allowIntroductoryOffer", .bool(isAllowed)),
          ("transactionId", .string(transaction)),
        ]))
  }

  private static func checked(_ number: String?) throws(CodedError<AppStoreServerRequestErrorCode>) -> String? {
    guard let number else { return nil }
    return try AppStoreServerPath.number(number)
  }

  /// What every JWS for StoreKit claims. It carries no end: the App Store counts from `iat`.
  private func claims(
    _ audience: String, _ nonce: OfferNonce, _ now: Timestamp, _ more: [(String, JSONValue?)]
  ) -> JSONValue {
    .members(
      [
        ("iss", .string(issuerId)), ("iat", .integer(now.seconds)), ("aud", .string(audience)),
        ("bid", .string(bundleId)), ("nonce", .string(nonce.text)),
      ] + more)
  }
}
