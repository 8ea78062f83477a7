package import Cryptography
package import HTTPMessages
package import PaymentPrimitives
import StrictJSON

/// The download of platform certificates: `GET /v3/certificates`.
///
/// It is not a `WeChatPayCall`, because the certificate inside the first answer signs that answer. Two facts make it
/// trustworthy. It decrypts with the APIv3 key, which only the merchant and WeChat Pay have. And one of its own
/// certificates signed it.
package enum CertificateDownload {
  package static let target = "/v3/certificates?algorithm_type=RSA"
  /// The interval of regular downloads; WeChat Pay requires at most 12 hours.
  package static let interval = TimeSpan.hours(6)
  /// The minimum pause between downloads because of an unknown serial number.
  package static let pauseOnDemand = TimeSpan.minutes(1)
  /// The maximum of certificates; during a rotation two are valid.
  static let certificatesMax = 32

  /// The signed request. It names no platform key: WeChat Pay signs with its current certificate.
  package static func request(
    by merchant: MerchantCredentials, to host: WeChatPayHost, at now: Timestamp, nonce: String
  ) -> HTTPRequest {
    WeChatPayCall<Never>("GET", target) { _, _ throws(WeChatPayReadingError) in
      throw WeChatPayReadingError("Certificates are read by CertificateDownload.")
    }.request(by: merchant, to: host, platformKey: nil, at: now, nonce: nonce)
  }

  /// The certificates of an answer, after all checks.
  ///
  /// - Parameter keys: the keys that are already trusted; may be empty.
  /// - Throws: the failed check; then no part of the answer is trusted. `notIssued` and `expired` do not affect a
  ///   merchant who uses a platform public key.
  package static func certificates(
    in response: HTTPResponse, keys: PlatformKeyRing, apiV3Key: APIv3Key, at now: Timestamp
  ) throws(CodedError<CertificateDownloadErrorCode>) -> [X509Certificate] {
    guard response.status == 200 else { throw downloadError(of: response) }
    let isVerified = try isVerified(response, keys, now: now)
    let certificates = try opened(response.body, apiV3Key, now: now)
    guard !isVerified else { return certificates }
    var learned = PlatformKeyRing()
    for certificate in certificates where (try? learned.add(certificate: certificate)) == nil {
      throw CodedError(.certificate, "Its key cannot be used.")
    }
    do throws(CodedError<PlatformSignatureErrorCode>) {
      try learned.verify(response.fields, body: response.body, at: now)
    } catch { throw CodedError(.unverified, error.description) }
    return certificates
  }

  /// Whether an already trusted key signed the answer. An unknown key, or one that is not valid now, is not an error
  /// here.
  private static func isVerified(
    _ response: HTTPResponse, _ keys: PlatformKeyRing, now: Timestamp
  ) throws(CodedError<CertificateDownloadErrorCode>) -> Bool {
    do throws(CodedError<PlatformSignatureErrorCode>) {
      try keys.verify(response.fields, body: response.body, at: now)
      return true
    } catch {
      guard error.code == .unknownKey || error.code == .keyNotValid else {
        throw CodedError(.unverified, error.description)
      }
      return false
    }
  }

  private static func opened(
    _ body: [UInt8], _ key: APIv3Key, now: Timestamp
  ) throws(CodedError<CertificateDownloadErrorCode>) -> [X509Certificate] {
    let items: [(serial: CertificateSerial?, sealed: SealedResource)]
    do {
      let fields = try JSONFields(JSONReader.read(body, limits: .usual))
      items = try fields.array("data", countMax: certificatesMax).map { item in
        let fields = try JSONFields(item, path: "data")
        return (
          CertificateSerial(try fields.string("serial_no", bytesMax: 64)),
          try SealedResource(JSONFields(fields.value("encrypt_certificate") ?? .null, path: "encrypt_certificate"))
        )
      }
    } catch {
      throw CodedError(.malformed, "\(error)")
    }
    var certificates: [X509Certificate] = []
    for (serial, sealed) in items {
      guard let plaintext = try? sealed.open(key) else { throw CodedError(.decryption) }
      guard let certificate = (try? X509Certificate.certificates(inPEM: plaintext))?.first else {
        throw CodedError(.certificate, "It is no certificate in PEM.")
      }
      guard serial == CertificateSerial(of: certificate) else {
        throw CodedError(.certificate, "Its serial number is not the one that is stated.")
      }
      // A certificate that is not valid yet is accepted, because it is published before its first signature. An expired
      // one is left out.
      if certificate.notAfter >= now { certificates.append(certificate) }
    }
    guard !certificates.isEmpty else { throw CodedError(.expired, "None of \(items.count) certificates is valid.") }
    return certificates
  }

  private static func downloadError(of response: HTTPResponse) -> CodedError<CertificateDownloadErrorCode> {
    let requestId = response.fields["Request-ID"]
    let error = WeChatPayError(status: response.status, body: response.body, requestId: requestId)
    switch error.code {
    case .resourceNotFound where response.status == 404: return CodedError(.notIssued)
    case .notEnough where response.status == 403: return CodedError(.expired)
    default: return CodedError(.refused, error.description)
    }
  }
}
