import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities

/// The OCSP responder of the simulated authorities (rule AS-KEY-8). Each authority has certified a responder of its
/// own, as Apple's have.
struct CertificateStatusResponder {
  let authority: SimulatedSigningAuthority
  let revocations: [SimulatedCertificateRevocation]
  /// Responders go by the real clock, as those do who ask.
  let realTime: Timestamp

  /// How long an answer counts.
  static let answerSpan = TimeSpan.hours(12)
  private static let questionBytesMax = 16 << 10

  func answer(to request: HTTPRequest) -> HTTPResponse {
    HTTPResponse(status: 200, fields: ["Content-Type": "application/ocsp-response"], body: answer(to: request.body))
  }

  private func answer(to question: [UInt8]) -> [UInt8] {
    // RFC 6960 §4.2.1: 1 is a malformed request, 6 a question about certificates of another authority.
    guard question.count <= Self.questionBytesMax, let query = CertificateStatusQuery(question) else {
      return CertificateStatusAnswer.failure(1)
    }
    guard let issuer = issuers.first(where: { query.items[0].isIssued(by: $0.certificate) }) else {
      return CertificateStatusAnswer.failure(6)
    }
    let entries = query.items.map { item in
      CertificateStatusAnswer.Entry(
        id: item.id,
        word: item.isIssued(by: issuer.certificate) ? word(on: item.serialNumber, issuer.serialNumbers) : .unknown)
    }
    let now = Timestamp(seconds: realTime.seconds)
    let key = ECDSAPrivateKey(
      curve: .p256, randomBytes: SimulatedSigningAuthority.bytes(authority.seed, "responder of \(issuer.role)"))
    return CertificateStatusAnswer(entries, thisUpdate: now, nextUpdate: now + Self.answerSpan)
      .signed(by: key, certificates: [certificate(of: key.publicKey, issuer)])
  }

  private func word(on serialNumber: [UInt8], _ known: Set<[UInt8]>) -> CertificateStatusAnswer.Word {
    guard known.contains(serialNumber) else { return .unknown }
    let revoked = revocations.first { $0.serialNumber == serialNumber.hexadecimal }
    return revoked.map { .revoked(at: $0.realTime) } ?? .good
  }

  private struct Issuer {
    let role: String
    let certificate: X509Certificate
    let key: ECDSAPrivateKey
    /// Those of the certificates that it issued.
    let serialNumbers: Set<[UInt8]>
  }

  private var issuers: [Issuer] {
    let all = authority.allCertificates(after: revocations)
    let roles = Set(all.map(\.intermediateRole))
    let number = { (role: String) in SimulatedSigningAuthority.serialNumber(authority.seed, role) }
    let root = Issuer(
      role: "root", certificate: authority.root, key: authority.rootKey, serialNumbers: Set(roles.map(number)))
    return [root]
      + roles.sorted().map { role in
        let (certificate, key) = authority.intermediate(role, statusAddress: nil)
        let leaves = all.filter { $0.intermediateRole == role }.map { number($0.leafRole) }
        return Issuer(role: role, certificate: certificate, key: key, serialNumbers: Set(leaves))
      }
  }

  private func certificate(of key: ECDSAPublicKey, _ issuer: Issuer) -> X509Certificate {
    var builder = X509CertificateBuilder(
      subject: SimulatedSigningAuthority.subject("Test OCSP Responder, not Apple's"),
      serialNumber: SimulatedSigningAuthority.serialNumber(authority.seed, "responder of \(issuer.role)"),
      notBefore: issuer.certificate.notBefore, notAfter: issuer.certificate.notAfter)
    builder.basicConstraints = .endEntity
    builder.keyUsage = .digitalSignature
    builder.extensions = X509Extension.signsStatuses
    return builder.issued(to: key, by: issuer.certificate, key: issuer.key)
  }
}
