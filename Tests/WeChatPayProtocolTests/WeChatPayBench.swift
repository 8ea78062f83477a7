import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import WeChatPayProtocol

/// A merchant and the platform that it calls, both with keys made for tests.
struct WeChatPayBench {
  let merchant: MerchantCredentials
  let platformKey: RSAPrivateKey
  let certificate: X509Certificate
  /// Certificate and public key, both trusted.
  let keys: PlatformKeyRing
  let byCertificate: PlatformSigner
  let byPublicKey: PlatformSigner

  /// The moment of most vectors: 2025-10-09T16:53:20+08:00.
  static let now = Timestamp(seconds: 1_760_000_000)
  static let nonce = "593BEC0C930BF1AFEB40B4A08C8FB242"

  init() throws {
    let privateKey = try RSAPrivateKey(file: Secret(WeChatPayVectors.merchantKeyMadeForTests.utf8))
    merchant = try MerchantCredentials(
      mchid: "1900007291", certificateSerial: WeChatPayVectors.merchantSerial, privateKey: privateKey,
      apiV3Key: APIv3Key(Secret(WeChatPayVectors.apiV3KeyMadeForTests.utf8)))
    platformKey = try RSAPrivateKey(file: Secret(WeChatPayVectors.platformKeyMadeForTests.utf8))
    certificate = try X509Certificate.certificates(inPEM: WeChatPayVectors.platformCertificate.utf8)[0]
    var keys = PlatformKeyRing(merchantKey: privateKey.publicKey)
    try keys.add(certificate: certificate)
    try keys.add(publicKey: platformKey.publicKey, identifier: WeChatPayVectors.publicKeyIdentifier)
    self.keys = keys
    byCertificate = PlatformSigner(
      identifier: .certificate(CertificateSerial(of: certificate)), privateKey: platformKey)
    byPublicKey = PlatformSigner(
      identifier: .publicKey(WeChatPayVectors.publicKeyIdentifier), privateKey: platformKey)
  }

  /// An answer as the platform signs it.
  func answer(
    _ status: Int, _ body: String, at moment: Timestamp = now, by signer: PlatformSigner? = nil
  ) -> HTTPResponse {
    var fields = (signer ?? byPublicKey).fields(signing: Array(body.utf8), at: moment, nonce: Self.nonce)
    fields.add("Request-ID", "08F78BB8AD061000-0")
    return HTTPResponse(status: status, fields: fields, body: Array(body.utf8))
  }

  /// The outcome of a call with an answer.
  func outcome<Answer>(_ call: WeChatPayCall<Answer>, _ response: HTTPResponse) -> WeChatPayOutcome<Answer> {
    call.outcome(of: response, keys: keys, at: Self.now)
  }
}

extension AnswerVector {
  /// The header fields that came with it.
  func fields(serial: String = WeChatPayVectors.platformSerial) -> HTTPFields {
    [
      "Wechatpay-Timestamp": "\(timestamp)", "Wechatpay-Nonce": nonce, "Wechatpay-Serial": serial,
      "Wechatpay-Signature": signature,
    ]
  }
}

extension WeChatPayOutcome {
  var error: WeChatPayError? {
    guard case .refused(let error) = result else { return nil }
    return error
  }

  var uncertainty: WeChatPayUncertainty? {
    guard case .unknown(let uncertainty) = result else { return nil }
    return uncertainty
  }
}
