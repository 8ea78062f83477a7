import Cryptography
import PaymentPrimitives
import SigningAuthorities
import WeChatPayProtocol

/// The files and settings of a merchant in the merchant platform, made by the simulator, so that no download is needed:
/// `apiclient_key.pem`, `apiclient_cert.pem`, and an APIv3 key. The real WeChat Pay does not accept them.
package struct SimulatedMerchantKit: Sendable {
  /// The merchant's data for the simulator.
  package let merchant: SimulatedMerchant
  package let certificatePEM: String
  package let certificateSerial: String
  /// The private key, as PEM; made for tests.
  package let testPrivateKeyPEM: String
  /// The APIv3 key; made for tests.
  package let testAPIv3Key: String
}

extension SimulatedPlatform {
  /// The kit of a merchant number: one simulator always gives the same, so it can be requested again.
  ///
  /// - Returns: nil for a number that is not 1 to 32 digits.
  package func merchantKit(mchid: String, appids: [String]) -> SimulatedMerchantKit? {
    guard Forms.mchid(mchid) != nil else { return nil }
    let key = RSAPrivateKey(randomBytes: secret("merchant key \(mchid)"))
    let certificate = merchantCertificate(mchid, key)
    let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8)
    let apiV3Key = String(
      decoding: secret("merchant APIv3 key \(mchid)").prefix(32).map { alphabet[Int($0 & 31)] }, as: UTF8.self)
    guard let known = SimulatedMerchant.Certificate(certificate) else { return nil }
    let pem = key.pkcs8.withBytes { PEM.text(label: "PRIVATE KEY", bytes: Array($0)) }
    return SimulatedMerchantKit(
      merchant: SimulatedMerchant(mchid: mchid, certificates: [known], testAPIv3Key: apiV3Key, appids: appids),
      certificatePEM: PEM.text(label: "CERTIFICATE", bytes: certificate.der), certificateSerial: known.serial,
      testPrivateKeyPEM: pem, testAPIv3Key: apiV3Key)
  }
}
