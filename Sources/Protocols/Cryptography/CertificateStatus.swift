import COpenSSL
package import PaymentPrimitives

/// What an OCSP responder says of a certificate (RFC 6960), verified: signed by the certificate's issuer, or by a
/// responder that this issuer has certified for it.
package struct CertificateStatus: Hashable, Sendable {
  package enum Answer: Hashable, Sendable {
    case good
    /// Revoked for ever; the reason is a word of RFC 5280 §5.3.1.
    case revoked(at: Timestamp, reason: String)
    /// The responder does not know the certificate.
    case unknown
  }

  package let answer: Answer
  /// When the responder knew this to be right.
  package let thisUpdate: Timestamp
  /// When the responder will know more; nil if it always does.
  package let nextUpdate: Timestamp?

  /// The maximum of bytes of a responder's answer; Apple's have about 2 kB.
  package static let bytesMax = 64 << 10
  /// The maximum that our clock may differ from the responder's.
  package static let clockSkew = TimeSpan.seconds(60)

  /// The question about a certificate as bytes (`application/ocsp-request`). It has no nonce: responders answer many
  /// callers with one signature.
  package static func question(about certificate: X509Certificate, issuedBy issuer: X509Certificate) -> [UInt8] {
    let request = required(OCSP_REQUEST_new())
    defer { OCSP_REQUEST_free(request) }
    // The request owns the id from here on.
    let id = required(OCSP_cert_to_id(EVP_sha256(), certificate.handle.pointer, issuer.handle.pointer))
    _ = required(OCSP_request_add0_id(request, id))
    return X509Certificate.written { i2d_OCSP_REQUEST(request, $0) }
  }

  /// Reads and verifies the answer to a question.
  ///
  /// - Parameters:
  ///   - root: the trusted root above the issuer, which may be the issuer itself.
  ///   - now: the moment at which the answer and the responder's certificate must be valid.
  /// - Throws: `unusableCertificateStatus`: then nothing is known about the certificate.
  package init(
    answer bytes: [UInt8], about certificate: X509Certificate, issuedBy issuer: X509Certificate,
    root: X509Certificate, at now: Timestamp
  ) throws(CodedError<CryptographyErrorCode>) {
    defer { ERR_clear_error() }
    guard bytes.count <= Self.bytesMax else { throw Self.unusable("It has more than \(Self.bytesMax) bytes.") }
    let parsed = bytes.withUnsafeBufferPointer { bytes in
      var position = bytes.baseAddress
      return d2i_OCSP_RESPONSE(nil, &position, bytes.count)
    }
    guard let parsed else { throw Self.unusable("It is no OCSP response.") }
    defer { OCSP_RESPONSE_free(parsed) }
    let outcome = OCSP_response_status(parsed)
    guard outcome == OCSP_RESPONSE_STATUS_SUCCESSFUL else {
      throw Self.unusable("The responder says: \(String(cString: OCSP_response_status_str(Int(outcome)))).")
    }
    guard let basic = OCSP_response_get1_basic(parsed) else { throw Self.unusable("It holds no basic response.") }
    defer { OCSP_BASICRESP_free(basic) }
    try Self.verify(basic, issuedBy: issuer, under: root, at: now)
    self = try Self.status(in: basic, of: certificate, issuedBy: issuer, at: now)
  }

  /// The signature, and the responder's right to sign for this issuer.
  private static func verify(
    _ basic: OpaquePointer, issuedBy issuer: X509Certificate, under root: X509Certificate, at now: Timestamp
  ) throws(CodedError<CryptographyErrorCode>) {
    let store = required(X509_STORE_new())
    defer { X509_STORE_free(store) }
    ensure(X509_STORE_add_cert(store, root.handle.pointer))
    X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(store), time_t(now.seconds))
    let untrusted = required(counterfoil_certificate_stack(issuer.handle.pointer))
    defer { counterfoil_certificate_stack_free(untrusted) }
    // A root that is trusted for other things too gains nothing: only the issuer or its responder may sign.
    guard OCSP_basic_verify(basic, untrusted, store, UInt(OCSP_NOEXPLICIT)) == 1 else {
      throw unusable("Its signature is not one of the certificate's issuer or of the issuer's responder.")
    }
  }

  /// The status of this certificate among those of the answer.
  private static func status(
    in basic: OpaquePointer, of certificate: X509Certificate, issuedBy issuer: X509Certificate, at now: Timestamp
  ) throws(CodedError<CryptographyErrorCode>) -> CertificateStatus {
    // An answer of the permitted size holds at most some hundred.
    for index in 0..<OCSP_resp_count(basic) {
      guard let single = OCSP_resp_get0(basic, index),
        let named = OCSP_SINGLERESP_get0_id(single),
        let digest = counterfoil_ocsp_id_digest(named),
        let id = OCSP_cert_to_id(digest, certificate.handle.pointer, issuer.handle.pointer)
      else { continue }
      defer { OCSP_CERTID_free(id) }
      guard OCSP_id_cmp(id, named) == 0 else { continue }
      return try status(single, at: now)
    }
    throw unusable("It is about other certificates.")
  }

  private static func status(
    _ single: OpaquePointer, at now: Timestamp
  ) throws(CodedError<CryptographyErrorCode>) -> CertificateStatus {
    var reason: Int32 = -1
    var revoked: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
    var this: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
    var next: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
    let word = OCSP_single_get0_status(single, &reason, &revoked, &this, &next)
    guard let thisUpdate = X509Certificate.timestamp(this) else { throw unusable("It states no time.") }
    let nextUpdate = next.flatMap { X509Certificate.timestamp($0) }
    guard (next == nil) == (nextUpdate == nil) else { throw unusable("Its times cannot be read.") }
    guard thisUpdate <= now + clockSkew else {
      throw unusable("It is from \(thisUpdate.iso8601), which is later than now.")
    }
    guard nextUpdate.map({ now - clockSkew <= $0 && thisUpdate <= $0 }) ?? true else {
      throw unusable("It was right until \(nextUpdate?.iso8601 ?? "").")
    }
    let answer: Answer
    switch word {
    case V_OCSP_CERTSTATUS_GOOD: answer = .good
    case V_OCSP_CERTSTATUS_REVOKED:
      let text = reason < 0 ? "unspecified" : String(cString: OCSP_crl_reason_str(Int(reason)))
      answer = .revoked(at: X509Certificate.timestamp(revoked) ?? thisUpdate, reason: text)
    default: answer = .unknown
    }
    return CertificateStatus(answer: answer, thisUpdate: thisUpdate, nextUpdate: nextUpdate)
  }

  private init(answer: Answer, thisUpdate: Timestamp, nextUpdate: Timestamp?) {
    (self.answer, self.thisUpdate, self.nextUpdate) = (answer, thisUpdate, nextUpdate)
  }

  private static func unusable(_ details: String) -> CodedError<CryptographyErrorCode> {
    CodedError(.unusableCertificateStatus, details)
  }
}

extension X509Certificate {
  /// The addresses of the OCSP responders that the certificate names (RFC 5280 §4.2.2.1).
  package var statusAddresses: [String] {
    guard let strings = counterfoil_ocsp_addresses(handle.pointer) else { return [] }
    defer { counterfoil_strings_free(strings) }
    return (0..<counterfoil_string_count(strings)).compactMap {
      counterfoil_string(strings, $0).flatMap { String(validatingCString: $0) }
    }
  }
}
