import Cryptography
import PaymentPrimitives
import StrictJSON

/// Tells whether two requests say the same.
enum Fingerprint {
  /// A hash that is equal for bodies with the same content, in any order.
  static func text(of body: JSONValue, _ kind: String) -> String {
    Base64.encode(SHA256.hash(Array(kind.utf8) + [0x0A] + body.sortedByName.bytes))
  }
}
