package import Cryptography
import PaymentPrimitives
package import StrictJSON
package import WeChatPayProtocol

extension CertificateDownload {
  /// One item of an answer with platform certificates, in the form of the platform.
  ///
  /// - Parameter nonce: 12 bytes of text, never used before with this APIv3 key.
  package static func item(_ certificate: X509Certificate, apiV3Key: APIv3Key, nonce: String) -> JSONValue {
    let text = PEM.text(label: "CERTIFICATE", bytes: certificate.der)
    let sealed = SealedResource(
      sealing: Array(text.utf8), key: apiV3Key, nonce: nonce, associatedData: "certificate")
    return .members([
      ("serial_no", .string("\(CertificateSerial(of: certificate))")),
      ("effective_time", .string(BeijingTime.text(certificate.notBefore))),
      ("expire_time", .string(BeijingTime.text(certificate.notAfter))), ("encrypt_certificate", sealed.json),
    ])
  }
}
