import Cryptography
import PaymentPrimitives
import SigningAuthorities
import TestDoubles
import Testing

@Suite struct `A certificate` {
  let rootKey = ECDSAPrivateKey(curve: .p384, randomBytes: [UInt8](repeating: 1, count: 48))
  let leafKey = ECDSAPrivateKey(curve: .p256, randomBytes: [UInt8](repeating: 2, count: 48))

  private func builder() -> X509CertificateBuilder {
    var builder = X509CertificateBuilder(
      subject: X509NameParts(commonName: "Made for tests", organization: "测试"), serialNumber: [0x8F, 2],
      notBefore: Timestamp(seconds: 1_700_000_000), notAfter: Timestamp(seconds: 2_600_000_000))
    builder.basicConstraints = .authority(pathLength: 1)
    builder.keyUsage = [.keyCertSign, .cRLSign]
    return builder
  }

  @Test func `is refused wherever it is cut, and with a byte after it`() throws {
    let der = builder().selfSigned(by: rootKey).der
    for length in 0..<der.count {
      #expect(throws: CodedError<CryptographyErrorCode>(.malformedCertificate)) {
        try X509Certificate(der: Array(der.prefix(length)))
      }
    }
    #expect(throws: CodedError<CryptographyErrorCode>(.malformedCertificate)) { try X509Certificate(der: der + [0]) }
    #expect(throws: CodedError<CryptographyErrorCode>(.malformedCertificate)) {
      try X509Certificate(der: [UInt8](repeating: 0x30, count: 20_000))
    }
  }

  @Test func `is refused with an extension that occurs twice`() throws {
    // The builder makes no such certificate. So two names of equal length are made equal in the finished bytes.
    var builder = builder()
    builder.extensions = [.marker("1.2.3.4"), .marker("1.2.3.5")]
    var der = builder.selfSigned(by: rootKey).der
    let second = try #require(der.indices.first { der[$0...].starts(with: [6, 3, 0x2A, 3, 5]) })
    der[second + 4] = 4
    #expect(throws: CodedError<CryptographyErrorCode>(.malformedCertificate)) { try X509Certificate(der: der) }
  }

  @Test func `is refused as a text that contains none`() {
    #expect(throws: CodedError<CryptographyErrorCode>(.malformedCertificate)) {
      try X509Certificate.certificates(inFile: Array(KeysMadeForTests.spki.utf8))
    }
    #expect(throws: CodedError<CryptographyErrorCode>(.malformedCertificate)) {
      try X509Certificate.certificates(inFile: [])
    }
  }

  @Test func `returns everything that its builder received`() throws {
    var builder = builder()
    builder.extensions = [
      .marker("1.2.840.113635.100.6.2.1"),
      X509Extension("1.2.3.4.5.67890", isCritical: true, value: [4, 2, 1, 2]),
    ]
    let certificate = builder.selfSigned(by: rootKey)
    #expect(certificate.version == 3)
    #expect(certificate.serialNumber == [0x8F, 2])
    #expect(certificate.subject.description == "CN=Made for tests, O=测试")
    #expect(certificate.subject == certificate.issuer)
    #expect(certificate.notBefore == Timestamp(seconds: 1_700_000_000))
    #expect(certificate.notAfter == Timestamp(seconds: 2_600_000_000))
    #expect(certificate.signatureAlgorithm == "1.2.840.10045.4.3.3")
    #expect(certificate.publicKey == rootKey.publicKey)
    #expect(certificate.basicConstraints == .authority(pathLength: 1))
    #expect(certificate.keyUsage == [.keyCertSign, .cRLSign])
    #expect(certificate.extendedKeyUsage == nil)
    #expect(certificate.hasExtension("1.2.840.113635.100.6.2.1"))
    #expect(!certificate.hasExtension("1.2.840.113635.100.6.11.1"))
    #expect(certificate.extensions.last == X509Extension("1.2.3.4.5.67890", isCritical: true, value: [4, 2, 1, 2]))
    #expect(try X509Certificate(der: certificate.der) == certificate)
    #expect(builder.selfSigned(by: rootKey).der == certificate.der)
  }

  @Test func `without extensions states nothing about its use`() {
    var builder = builder()
    builder.basicConstraints = nil
    builder.keyUsage = nil
    let certificate = builder.selfSigned(by: rootKey)
    #expect(certificate.basicConstraints == nil && certificate.keyUsage == nil)
    builder.basicConstraints = .endEntity
    builder.keyUsage = .digitalSignature
    let leaf = builder.selfSigned(by: rootKey)
    #expect(leaf.basicConstraints == .endEntity && leaf.keyUsage == .digitalSignature)
  }

  @Test func `is signed by its issuer alone`() throws {
    let root = builder().selfSigned(by: rootKey)
    let leaf = builder().issued(to: leafKey.publicKey, by: root, key: rootKey)
    let forged = builder().issued(to: leafKey.publicKey, by: root, key: leafKey)
    #expect(root.isSigned(by: root) && leaf.isSigned(by: root))
    #expect(!leaf.isSigned(by: leaf) && !root.isSigned(by: leaf) && !forged.isSigned(by: root))
    #expect(forged.issuer == root.subject)
    var changed = leaf.der
    let place = try #require(changed.indices.first { changed[$0...].starts(with: "Made".utf8) })
    changed[place] = UInt8(ascii: "m")
    #expect(try !X509Certificate(der: changed).isSigned(by: root))
  }

  /// RFC 5280 §4.1.2.5: UTCTime through 2049, GeneralizedTime before 1950 and from 2050 on. Strict readers require it.
  @Test(
    arguments: [
      (-631_152_001, 0x18, "19491231235959Z"), (-631_152_000, 0x17, "500101000000Z"),
      (2_524_607_999, 0x17, "491231235959Z"), (2_524_608_000, 0x18, "20500101000000Z"),
    ] as [(Int64, UInt8, String)])
  func `writes dates in the form that their year requires`(_ seconds: Int64, _ tag: UInt8, _ text: String) {
    var builder = builder()
    builder.notBefore = Timestamp(seconds: seconds)
    let der = builder.selfSigned(by: leafKey).der
    let expected = [tag, UInt8(text.utf8.count)] + text.utf8
    #expect(der.indices.contains { der[$0...].starts(with: expected) })
  }

  @Test(arguments: [-2_208_988_800, 0, 2_524_607_999, 2_524_608_000, 253_402_300_799] as [Int64])
  func `keeps dates before and after the change of form`(_ seconds: Int64) {
    var builder = builder()
    builder.notBefore = Timestamp(seconds: seconds)
    builder.notAfter = Timestamp(seconds: seconds)
    let certificate = builder.selfSigned(by: leafKey)
    #expect(certificate.notBefore == Timestamp(seconds: seconds))
    #expect(certificate.notAfter == Timestamp(seconds: seconds))
  }

  /// Made by the `openssl` program, so that reader and builder cannot share a mistake.
  @Test func `from another program is read with the values that the program prints`() throws {
    let certificate = try #require(
      try X509Certificate.certificates(inFile: Array(KeysMadeForTests.certificateOnRSA.utf8)).first)
    #expect(certificate.subject.description == "C=CN, O=测试, CN=Made for tests")
    #expect(certificate.serialNumber.hexadecimal == "47af436274ee8196f1e3e5a2b43564a7f1288927")
    #expect(certificate.notBefore.iso8601 == "2026-11-20T19:48:45.000Z")
    #expect(certificate.notAfter.iso8601 == "2126-10-27T19:48:45.000Z")
    #expect(certificate.signatureAlgorithm == "1.2.840.113549.1.1.11")
    #expect(certificate.basicConstraints == .authority(pathLength: 3))
    #expect(certificate.keyUsage == [.digitalSignature, .keyCertSign])
    #expect(certificate.extendedKeyUsage == ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"])
    #expect(certificate.publicKey == nil)
    #expect(certificate.isSigned(by: certificate))
    #expect(
      certificate.fingerprint.hexadecimal
        == "2e01c67191f5b049c41c301ecf8db985385db5818a7187ec81fe543aa62a8a6d")
  }
}

@Suite struct `An object identifier` {
  @Test(arguments: ["", "1", "1.", ".1", "3.1", "1.40", "1..2", "1.2.x", "1.2.+3", "1.-2", "1.2.99999999999999999999"])
  func `is refused unless it consists of numbers and dots`(_ text: String) {
    #expect(ASN1ObjectIdentifier(text) == nil)
  }

  @Test(arguments: ["0.0", "1.39", "2.999.3", "1.2.840.113635.100.6.11.1"])
  func `survives a certificate`(_ text: String) throws {
    let identifier = try #require(ASN1ObjectIdentifier(text))
    let key = ECDSAPrivateKey(curve: .p256, randomBytes: [UInt8](repeating: 2, count: 48))
    var builder = X509CertificateBuilder(
      subject: X509NameParts(commonName: "Made for tests"), serialNumber: [1],
      notBefore: Timestamp(seconds: 0), notAfter: Timestamp(seconds: 1))
    builder.extensions = [.marker(identifier)]
    #expect(builder.selfSigned(by: key).hasExtension(identifier))
  }
}
