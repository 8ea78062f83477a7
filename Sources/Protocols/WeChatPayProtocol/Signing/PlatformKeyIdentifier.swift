/// The value of `Wechatpay-Serial`: the WeChat Pay key that signs an answer, or that a field is encrypted to.
package enum PlatformKeyIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// The old form: a platform certificate by its serial number.
  case certificate(CertificateSerial)
  /// The new form: a public key by its id, `PUB_KEY_ID_` and digits. It is opaque, not a hexadecimal number.
  case publicKey(String)

  /// Nil if the text has neither form.
  package init?(_ text: String) {
    if text.hasPrefix(Self.publicKeyPrefix) {
      let digits = text.utf8.dropFirst(Self.publicKeyPrefix.utf8.count)
      guard (1...64).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      self = .publicKey(text)
    } else {
      guard let serial = CertificateSerial(text) else { return nil }
      self = .certificate(serial)
    }
  }

  /// The id in the form of the header.
  package var description: String {
    switch self {
    case .certificate(let serial): serial.text
    case .publicKey(let identifier): identifier
    }
  }

  private static let publicKeyPrefix = "PUB_KEY_ID_"
}
