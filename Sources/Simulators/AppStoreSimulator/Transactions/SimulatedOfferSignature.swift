package import AppStoreProtocol
import PaymentPrimitives
import StrictJSON

/// What a purchase brings to show that the app's team lets this customer have a promotional offer.
package enum SimulatedOfferSignature: Hashable, Sendable {
  /// The first form: it holds for the account token of the purchase (rule AS-OFF-5).
  case signature(PromotionalOfferSignature)
  /// The second form: a JWS, which may name a transaction of the customer (rule AS-OFF-6).
  case jws(String)
}

extension SimulatedOfferSignature {
  /// Of a JWS: what it claims is a few short texts.
  static let jwsBytesMax = 4096

  /// What the control API takes: the object of the first form, or the text of the second.
  static func read(_ fields: JSONFields) throws(JSONFieldError) -> SimulatedOfferSignature? {
    guard let signature = try fields.optionalFields("offerSignature") else {
      return try fields.optionalString("offerJWS", bytesMax: jwsBytesMax).map { .jws($0) }
    }
    return .signature(
      PromotionalOfferSignature(
        keyIdentifier: try signature.string("keyIdentifier", bytesMax: 64),
        nonce: try signature.converted("nonce", "a UUID", OfferNonce.init(_:)),
        timestamp: Timestamp(milliseconds: try signature.integer("timestamp", in: 0...Self.timestampMax)),
        signature: try signature.string("signature", bytesMax: 256)))
  }

  /// The end of the year 9999, in milliseconds.
  private static let timestampMax: Int64 = 253_402_300_799_999
}
