package import AppStoreProtocol
import PaymentPrimitives
import StrictJSON

/// The proof that the app's team allows this customer a promotional offer.
package enum SimulatedOfferSignature: Hashable, Sendable {
  /// The first version: valid for the account token of the purchase (rule AS-OFF-5).
  case signature(PromotionalOfferSignature)
  /// The second version: a JWS, which may name a transaction of the customer (rule AS-OFF-6).
  case jws(String)
}

extension SimulatedOfferSignature {
  /// Maximum bytes of a JWS: its claims are a few short texts.
  static let jwsBytesMax = 4096

  /// Reads the control API's input: the object of the first version, or the text of the second.
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
