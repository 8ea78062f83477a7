package import Cryptography
package import HTTPMessages
package import PaymentPrimitives
package import WeChatPayProtocol

/// The platform's side, which signs WeChat Pay's answers and notifications.
package struct PlatformSigner: Sendable {
  /// The key's id in the header.
  package let identifier: PlatformKeyIdentifier

  private let privateKey: RSAPrivateKey

  package init(identifier: PlatformKeyIdentifier, privateKey: RSAPrivateKey) {
    self.identifier = identifier
    self.privateKey = privateKey
  }

  /// The header fields that sign a body.
  ///
  /// - Parameter nonce: 32 letters and digits.
  package func fields(signing body: [UInt8], at now: Timestamp, nonce: String) -> HTTPFields {
    let text = SignedText.answer(timestamp: "\(now.seconds)", nonce: nonce, body: body)
    return fields(at: now, nonce: nonce, signature: Base64.encode(privateKey.signature(for: text)))
  }

  /// Header fields with a probe signature, which a merchant must reject.
  ///
  /// - Parameter randomBytes: the bytes for the rest of the signature.
  package func probeFields(at now: Timestamp, nonce: String, randomBytes: [UInt8]) -> HTTPFields {
    fields(at: now, nonce: nonce, signature: PlatformKeyRing.probeSignaturePrefix + Base64.encode(randomBytes))
  }

  private func fields(at now: Timestamp, nonce: String, signature: String) -> HTTPFields {
    [
      "Wechatpay-Timestamp": "\(now.seconds)", "Wechatpay-Nonce": nonce, "Wechatpay-Serial": "\(identifier)",
      "Wechatpay-Signature": signature, "Wechatpay-Signature-Type": RequestSignature.scheme,
    ]
  }
}
