package import Cryptography
package import PaymentPrimitives

/// The key of 32 bytes that a merchant sets in WeChat Pay's merchant platform: with it WeChat Pay hides what is in
/// notifications and certificates.
package struct APIv3Key: Sendable {
  let cipher: AES256GCM

  /// A key from its bytes.
  ///
  /// - Throws: `apiV3KeyLength` unless it has 32 bytes. A line end behind it, as editors leave it, is taken off.
  package init(_ key: Secret) throws(CodedError<MerchantKeyErrorCode>) {
    let key = key.count == 32 ? key : Secret(key.withBytes { Array($0) }.droppingLineEnd)
    guard let cipher = try? AES256GCM(key: key) else {
      throw CodedError(.apiV3KeyLength, "It has \(key.count) bytes.")
    }
    self.cipher = cipher
  }
}

extension APIv3Key: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(APIv3 key)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension [UInt8] {
  fileprivate var droppingLineEnd: [UInt8] {
    var bytes = self
    if bytes.last == 0x0A { bytes.removeLast() }
    if bytes.last == 0x0D { bytes.removeLast() }
    return bytes
  }
}
