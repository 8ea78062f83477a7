import Cryptography
import PaymentPrimitives
import SigningAuthorities
import Testing

/// OCSP answers of a root, an intermediate and a leaf that were made for this.
@Suite struct `The status of a certificate` {
  private static let now = Timestamp(seconds: 1_795_000_000)

  private static func key(_ name: String, _ curve: EllipticCurve = .p384) -> ECDSAPrivateKey {
    ECDSAPrivateKey(curve: curve, randomBytes: DigestFunction.sha384.hash("made for statuses: \(name)".utf8))
  }

  private static func builder(_ name: String, _ serial: UInt8, isAuthority: Bool) -> X509CertificateBuilder {
    var builder = X509CertificateBuilder(
      subject: X509NameParts(commonName: name, organization: "Made for tests"), serialNumber: [serial],
      notBefore: now - .days(100), notAfter: now + .days(100))
    builder.basicConstraints = isAuthority ? .authority() : .endEntity
    builder.keyUsage = isAuthority ? [.keyCertSign, .cRLSign] : .digitalSignature
    return builder
  }

  private static let root = builder("root", 1, isAuthority: true).selfSigned(by: key("root"))
  private static let issuer = builder("issuer", 2, isAuthority: true)
    .issued(to: key("issuer").publicKey, by: root, key: key("root"))
  private static let leaf = certified("leaf", 3)
  private static let sibling = certified("sibling", 4)
  private static let otherRoot = builder("root", 1, isAuthority: true).selfSigned(by: key("other root"))

  private static func certified(
    _ name: String, _ serial: UInt8, by key: ECDSAPrivateKey = key("issuer"),
    _ change: (inout X509CertificateBuilder) -> Void = { _ in }
  ) -> X509Certificate {
    var builder = builder(name, serial, isAuthority: false)
    change(&builder)
    return builder.issued(to: Self.key(name, .p256).publicKey, by: issuer, key: key)
  }

  private static let responder = certified("responder", 5) { $0.extensions = X509Extension.signsStatuses }

  /// The answer of a responder.
  private static func answer(
    _ word: CertificateStatusAnswer.Word = .good, about certificate: X509Certificate = leaf,
    by signer: (key: ECDSAPrivateKey, certificate: X509Certificate) = (key("responder", .p256), responder),
    from thisUpdate: Timestamp = now, until nextUpdate: Timestamp? = now + .hours(12)
  ) throws -> [UInt8] {
    let question = CertificateStatus.question(about: certificate, issuedBy: issuer)
    let item = try #require(CertificateStatusQuery(question)?.items.first)
    #expect(item.isIssued(by: issuer) && item.serialNumber == certificate.serialNumber)
    return CertificateStatusAnswer(
      [CertificateStatusAnswer.Entry(id: item.id, word: word)], thisUpdate: thisUpdate, nextUpdate: nextUpdate
    ).signed(by: signer.key, certificates: [signer.certificate])
  }

  private static func read(
    _ bytes: [UInt8], root: X509Certificate = root
  ) throws(CodedError<CryptographyErrorCode>) -> CertificateStatus {
    try CertificateStatus(answer: bytes, about: leaf, issuedBy: issuer, root: root, at: now)
  }

  private static func refusal(_ bytes: [UInt8], root: X509Certificate = root) -> String? {
    do throws(CodedError<CryptographyErrorCode>) {
      _ = try read(bytes, root: root)
      return nil
    } catch {
      return error.code == .unusableCertificateStatus ? error.details : "\(error)"
    }
  }

  @Test func `is not known by what is no answer, or an answer without a status`() throws {
    let genuine = try Self.answer()
    for bytes in [[], [0x30], Array(genuine.dropLast()), Array("<html>".utf8)] {
      #expect(Self.refusal(bytes) == "It is no OCSP response.")
    }
    #expect(Self.refusal(CertificateStatusAnswer.failure(3)) == "The responder says: trylater.")
    #expect(Self.refusal(CertificateStatusAnswer.failure(6)) == "The responder says: unauthorized.")
    let large = [UInt8](repeating: 0x30, count: CertificateStatus.bytesMax + 1)
    #expect(Self.refusal(large) == "It has more than \(CertificateStatus.bytesMax) bytes.")
  }

  @Test func `is not known by an answer of somebody else`() throws {
    let reason = "Its signature is not one of the certificate's issuer or of the issuer's responder."
    let plain = Self.certified("plain", 6)
    let stranger = Self.certified("stranger", 7, by: Self.key("root")) { $0.extensions = X509Extension.signsStatuses }
    let expired = Self.certified("expired", 8) {
      $0.extensions = X509Extension.signsStatuses
      $0.notAfter = Self.now - .days(1)
    }
    for (name, certificate) in [("plain", plain), ("stranger", stranger), ("expired", expired), ("leaf", Self.leaf)] {
      let bytes = try Self.answer(by: (Self.key(name, .p256), certificate))
      #expect(Self.refusal(bytes) == reason, "\(name)")
    }
    // The responder's certificate beside a signature of another key.
    #expect(Self.refusal(try Self.answer(by: (Self.key("plain", .p256), Self.responder))) == reason)
    // The root certified the issuer, but does not answer for what the issuer certified.
    #expect(Self.refusal(try Self.answer(by: (Self.key("root"), Self.root))) == reason)
    #expect(Self.refusal(try Self.answer(), root: Self.otherRoot) == reason)
  }

  @Test func `is not known by an answer that was changed in any byte`() throws {
    let genuine = try Self.answer(.revoked(at: Self.now - .days(1)))
    let sent = try Self.read(genuine)
    for index in genuine.indices {
      var changed = genuine
      changed[index] ^= 0x01
      // A change outside the signed part can leave the statement as it is.
      if let read = try? Self.read(changed) { #expect(read == sent, "byte \(index)") }
    }
  }

  @Test func `is not known by an answer about another certificate, from the future or out of date`() throws {
    #expect(Self.refusal(try Self.answer(about: Self.sibling)) == "It is about other certificates.")
    #expect(Self.refusal(try Self.answer(from: Self.now + .seconds(61)))?.hasSuffix("later than now.") == true)
    let old = try Self.answer(from: Self.now - .days(1), until: Self.now - .seconds(61))
    #expect(Self.refusal(old)?.hasPrefix("It was right until") == true)
    let turned = try Self.answer(from: Self.now, until: Self.now - .seconds(30))
    #expect(Self.refusal(turned)?.hasPrefix("It was right until") == true)
    #expect(try Self.read(try Self.answer(from: Self.now + .seconds(60))).answer == .good)
    #expect(try Self.read(try Self.answer(from: Self.now - .days(1), until: Self.now - .seconds(60))).answer == .good)
  }

  @Test func `is what the issuer or its responder says`() throws {
    let status = try Self.read(try Self.answer())
    #expect(status.answer == .good && status.thisUpdate == Self.now && status.nextUpdate == Self.now + .hours(12))
    #expect(try Self.read(try Self.answer(until: nil)).nextUpdate == nil)
    #expect(try Self.read(try Self.answer(by: (Self.key("issuer"), Self.issuer))).answer == .good)
    #expect(try Self.read(try Self.answer(.unknown)).answer == .unknown)
    let moment = Self.now - .days(3)
    let revoked = try Self.read(try Self.answer(.revoked(at: moment)))
    #expect(revoked.answer == .revoked(at: moment, reason: "keyCompromise"))
  }

  @Test func `is asked where the certificate says`() {
    let named = Self.certified("named", 9) { $0.extensions = [.statusAddress("http://ocsp.example.com/a")] }
    #expect(named.statusAddresses == ["http://ocsp.example.com/a"])
    #expect(Self.leaf.statusAddresses == [])
  }

  @Test func `is asked in DER, and nothing else is a question`() {
    let question = CertificateStatus.question(about: Self.leaf, issuedBy: Self.issuer)
    for count in 0..<question.count { #expect(CertificateStatusQuery(Array(question.prefix(count))) == nil) }
    #expect(CertificateStatusQuery(question)?.items.first?.isIssued(by: Self.root) == false)
  }
}
