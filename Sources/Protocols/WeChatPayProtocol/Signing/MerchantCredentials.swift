package import Cryptography
package import PaymentPrimitives

/// The credentials of a merchant: number, API certificate with its private key, and APIv3 key.
///
/// Merchant mode only. In partner mode, the provider's number signs (`sp_mchid`): the same type, with the provider's
/// values.
package struct MerchantCredentials: Sendable {
  /// The merchant number: `mchid`.
  package let mchid: String
  /// The serial number of the merchant's API certificate.
  package let certificateSerial: CertificateSerial
  package let privateKey: RSAPrivateKey
  /// The key with which WeChat Pay encrypts.
  package let apiV3Key: APIv3Key

  /// Credentials with the serial number that the merchant platform shows.
  ///
  /// - Throws: `merchantNumber`, `certificateSerial`.
  package init(
    mchid: String, certificateSerial: String, privateKey: RSAPrivateKey, apiV3Key: APIv3Key
  ) throws(CodedError<MerchantKeyErrorCode>) {
    guard (1...32).contains(mchid.utf8.count), mchid.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw CodedError(.merchantNumber, "It must be 1 to 32 digits.")
    }
    guard let serial = CertificateSerial(certificateSerial) else {
      throw CodedError(.certificateSerial, "It must be hexadecimal digits.")
    }
    self.mchid = mchid
    self.certificateSerial = serial
    self.privateKey = privateKey
    self.apiV3Key = apiV3Key
  }

  /// Credentials with the certificate itself, which supplies the serial number.
  ///
  /// - Throws: `merchantNumber`, and `keyPairMismatch` if the certificate belongs to another key.
  package init(
    mchid: String, certificate: X509Certificate, privateKey: RSAPrivateKey, apiV3Key: APIv3Key
  ) throws(CodedError<MerchantKeyErrorCode>) {
    guard certificate.rsaPublicKey == privateKey.publicKey else { throw CodedError(.keyPairMismatch) }
    try self.init(
      mchid: mchid, certificateSerial: CertificateSerial(of: certificate).text, privateKey: privateKey,
      apiV3Key: apiV3Key)
  }

  /// The value of `Authorization` for a request.
  ///
  /// - Parameters:
  ///   - target: path and query exactly as sent.
  ///   - nonce: 1 to 32 letters and digits, new for each request and each retry.
  package func authorization(
    method: String, target: String, body: [UInt8], at now: Timestamp, nonce: String
  ) -> RequestSignature {
    let text = SignedText.request(method: method, target: target, timestamp: now.seconds, nonce: nonce, body: body)
    return RequestSignature(
      mchid: mchid, nonce: nonce, signature: privateKey.signature(for: text), timestamp: now.seconds,
      certificateSerial: certificateSerial)
  }
}

/// Nonces of requests: letters and digits that are hard to guess.
package enum Nonce {
  /// 32 letters and digits from the given random bytes.
  ///
  /// - Parameter randomBytes: at least 32; only the low bits of each are used.
  package static func text(randomBytes: [UInt8]) -> String {
    precondition(randomBytes.count >= 32, "a nonce needs 32 random bytes")
    // 32 characters with 5 bits each: 160 bits, all equally likely. No two characters look alike.
    let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8)
    return String(decoding: randomBytes.prefix(32).map { alphabet[Int($0 & 31)] }, as: UTF8.self)
  }
}
