package import Cryptography
package import PaymentPrimitives

/// The 32-byte key that a merchant sets in WeChat Pay's merchant platform. WeChat Pay encrypts the content of
/// notifications and certificates with it.
package struct APIv3Key: Sendable {
  package let cipher: AES256GCM

  /// Creates a key from its bytes, without a line end that an editor may have added.
  ///
  /// - Throws: `apiV3KeyLength` unless the key has 32 bytes.
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
