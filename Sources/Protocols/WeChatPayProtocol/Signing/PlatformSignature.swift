import Cryptography
package import HTTPMessages
package import PaymentPrimitives

extension PlatformKeyRing {
  /// The prefix of the signatures with which WeChat Pay tests whether a merchant checks them.
  package static let probeSignaturePrefix = "WECHATPAY/SIGNTEST/"

  /// Verifies that WeChat Pay signed exactly these bytes. Every answer and every notification needs this check.
  ///
  /// Cheap checks come first: headers, clock, probe, key, Base64, then RSA. Only verified data may be parsed.
  /// - Parameters:
  ///   - body: the received bytes, unchanged; empty for 204.
  ///   - now: the current time; a difference of up to and including 300 seconds is allowed.
  /// - Returns: the key that signed.
  @discardableResult
  package func verify(
    _ fields: HTTPFields, body: [UInt8], at now: Timestamp
  ) throws(CodedError<PlatformSignatureErrorCode>) -> PlatformKeyIdentifier {
    let timestamp = try Self.only("Wechatpay-Timestamp", fields)
    let nonce = try Self.only("Wechatpay-Nonce", fields)
    let serial = try Self.only("Wechatpay-Serial", fields)
    let signature = try Self.only("Wechatpay-Signature", fields)
    let types = fields.values("Wechatpay-Signature-Type")
    guard types.count <= 1 else { throw CodedError(.headerRepeated, "Wechatpay-Signature-Type") }
    guard types.allSatisfy({ $0 == RequestSignature.scheme }) else { throw CodedError(.unsupportedSignatureType) }
    guard let seconds = Int64(decimal: timestamp) else { throw CodedError(.malformedTimestamp) }
    guard ClockWindow.contains(seconds, at: now) else {
      throw CodedError(.timestampOutsideWindow, "It was signed \(now.seconds - seconds) seconds before now.")
    }
    // This check comes before the key look-up, so that a probe with an unknown serial number causes no download of
    // certificates.
    guard !signature.hasPrefix(Self.probeSignaturePrefix) else { throw CodedError(.probeSignature) }
    guard let identifier = PlatformKeyIdentifier(serial), let entry = self[identifier] else {
      throw CodedError(.unknownKey, unknownKeyParticulars(serial))
    }
    guard entry.isValid(at: Timestamp(seconds: now.seconds)) else {
      throw CodedError(.keyNotValid, "The certificate \(identifier) is not valid now.")
    }
    guard let signature = Base64.decode(signature) else { throw CodedError(.malformedSignature) }
    let text = SignedText.answer(timestamp: timestamp, nonce: nonce, body: body)
    guard entry.key.isValid(signature, for: text) else { throw CodedError(.wrongSignature) }
    return identifier
  }

  private static func only(
    _ name: String, _ fields: HTTPFields
  ) throws(CodedError<PlatformSignatureErrorCode>) -> String {
    let values = fields.values(name)
    guard let value = values.first, !value.isEmpty else { throw CodedError(.headerMissing, name) }
    guard values.count == 1 else { throw CodedError(.headerRepeated, name) }
    return value
  }

  /// The known keys, for the operator. The foreign text is included only if it has the form of an id.
  private func unknownKeyParticulars(_ serial: String) -> String {
    let asked = PlatformKeyIdentifier(serial).map { "It names \($0)." } ?? "It names no key at all."
    let known = entries.map { "\($0.identifier)" }.joined(separator: ", ")
    return asked + (known.isEmpty ? " No key is known." : " Known are \(known).")
  }
}
