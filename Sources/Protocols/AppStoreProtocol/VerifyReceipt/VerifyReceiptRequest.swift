package import Cryptography
package import HTTPMessages
package import PaymentPrimitives
import StrictJSON

/// A request to Apple's `verifyReceipt` for an app receipt or a transaction receipt of iOS 6.
///
/// Apple deprecated it in 2023, but it still works. It is for receipts that cannot be verified here. The answer has no
/// signature, so its trust depends on the connection to Apple.
package struct VerifyReceiptRequest: Sendable {
  /// The receipt's bytes.
  package let receipt: [UInt8]
  /// Whether only the newest period of each subscription is listed.
  package var excludesOldTransactions = false

  /// The timeout for the answer: ten seconds to connect, ten for Apple to read a long receipt.
  package static let timeLimit = TimeSpan.seconds(20)
  /// Only a receipt with thousands of periods is larger.
  package static let bytesMax = 4 << 20
  static let path = "/verifyReceipt"

  /// A request for the bytes of a receipt; nil if they are empty or too many.
  package init?(receipt: [UInt8]) {
    guard (1...Self.bytesMax).contains(receipt.count) else { return nil }
    self.receipt = receipt
  }

  /// A request for a receipt in Base64, with repairs of transport damage. It repairs line breaks, the URL-safe alphabet
  /// (`-_`), spaces in place of plus signs, and missing `=`. nil if the result is still not Base64.
  package init?(repairing text: String) {
    guard text.utf8.count <= Self.bytesMax / 3 * 4 + 4096, let bytes = Self.repaired(text) else { return nil }
    self.init(receipt: bytes)
  }

  private static func repaired(_ text: String) -> [UInt8]? {
    let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    var letters = Array(text.utf8.drop(while: isBlank))
    while let last = letters.last, isBlank(last) { letters.removeLast() }
    letters.removeAll { (0x09...0x0D).contains($0) }
    for index in letters.indices {
      switch letters[index] {
      case 0x20, 0x2D: letters[index] = 0x2B
      case 0x5F: letters[index] = 0x2F
      default: break
      }
    }
    while letters.last == 0x3D { letters.removeLast() }
    letters += Array(repeating: 0x3D, count: (4 - letters.count % 4) % 4)
    return Base64.decode(letters)
  }

  /// The HTTP request.
  ///
  /// - Parameter sharedSecret: the app's secret; required if the receipt contains subscriptions.
  package func request(to host: AppStoreServerHost, sharedSecret: Secret?) -> HTTPRequest {
    let password = sharedSecret?.withBytes { String(decoding: $0, as: UTF8.self) }
    return HTTPRequest(
      "POST", host.origin + Self.path, fields: ["Accept": "application/json", "User-Agent": "counterfoil"],
      json: .members([
        ("receipt-data", .string(Base64.encode(receipt))), ("password", .text(password)),
        ("exclude-old-transactions", .bool(excludesOldTransactions)),
      ]))
  }
}
