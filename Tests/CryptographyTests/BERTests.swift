import Cryptography
import PaymentPrimitives
import SigningAuthorities
import Testing

@Suite struct `A reader of BER` {
  private func octets(_ bytes: [UInt8]) -> [UInt8]? {
    var reader = BERReader(bytes)
    guard let element = try? reader.next(), reader.isAtEnd else { return nil }
    return try? reader.octets(of: element)
  }

  @Test(
    arguments: [
      [], [0x04], [0x04, 0x05, 0x01], [0x04, 0x80, 0x00, 0x00], [0x24, 0x80, 0x00], [0x24, 0x80, 0x04, 0x01, 0x07],
      [0x1F, 0x01, 0x00], [0x00, 0x00], [0x04, 0x89, 0, 0, 0, 0, 0, 0, 0, 0, 1, 7],
      [0x04, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x04, 0x84, 0x7F, 0xFF, 0xFF, 0xFF, 1],
      [0x24, 0x03, 0x02, 0x01, 0x07], [0x04, 0x00, 0x00], [0x30, 0x00],
    ] as [[UInt8]])
  func `refuses an incomplete, too long or otherwise typed value`(_ bytes: [UInt8]) { #expect(octets(bytes) == nil) }

  @Test func `refuses too deep nesting, of both kinds of length, and does not exhaust the stack`() {
    for depth in [30, 100_000] {
      let open = (0..<depth).flatMap { _ in [0x24, 0x80] as [UInt8] }
      #expect(octets(open + [UInt8](repeating: 0, count: depth * 2)) == nil)
    }
    var definite: [UInt8] = [0x04, 0x01, 0x07]
    for _ in 0..<40 { definite = [0x24, UInt8(definite.count)] + definite }
    #expect(octets(definite) == nil)
  }

  @Test func `reads lengths of every form, and strings in pieces`() {
    #expect(octets([0x04, 0x02, 1, 2]) == [1, 2])
    #expect(octets([0x04, 0x84, 0, 0, 0, 2, 1, 2]) == [1, 2])
    #expect(octets([0x24, 0x06, 0x04, 0x01, 1, 0x04, 0x01, 2]) == [1, 2])
    #expect(octets([0x24, 0x80, 0x04, 0x01, 1, 0x24, 0x80, 0x04, 0x01, 2, 0, 0, 0x04, 0x00, 0, 0]) == [1, 2])
    #expect(octets([0x04, 0x00]) == [])
  }

  @Test func `returns the elements of a sequence in their order`() throws {
    var reader = BERReader([0x30, 0x80, 0x02, 0x01, 5, 0x0C, 0x01, 0x61, 0, 0])
    let sequence = try reader.next(BERElement.sequence)
    #expect(reader.isAtEnd)
    var inside = try reader.inside(sequence)
    #expect(try Array(inside.content(of: inside.next(BERElement.integer))) == [5])
    #expect(try inside.next(if: BERElement.integer) == nil)
    #expect(try Array(inside.whole(of: inside.next())) == [0x0C, 0x01, 0x61])
    #expect(inside.isAtEnd)
    #expect(throws: BERError.malformed) { try inside.next() }
  }
}

@Suite struct `Signed data in CMS` {
  private static let now = Timestamp(seconds: 1_795_000_000)
  private static let key = RSAPrivateKey(randomBytes: [UInt8](repeating: 9, count: 32))
  private static let certificate = X509CertificateBuilder(
    subject: X509NameParts(commonName: "Made for tests"), serialNumber: [0xFF, 1], notBefore: now,
    notAfter: now + .days(1)
  ).selfSigned(by: key, digest: .sha256)

  private func written(_ change: (inout CMSSignedDataWriter) -> Void = { _ in }) -> [UInt8] {
    var writer = CMSSignedDataWriter(
      content: [UInt8](repeating: 5, count: 3000), certificates: [Self.certificate], signer: Self.certificate)
    change(&writer)
    return writer.signed(by: Self.key)
  }

  @Test func `is refused when incomplete, with bytes after it, or with too many certificates`() {
    let bytes = written()
    for length in stride(from: 0, to: bytes.count, by: 13) {
      #expect(throws: CodedError<CryptographyErrorCode>(.malformedCMS)) {
        try CMSSignedData(Array(bytes.prefix(length)))
      }
    }
    #expect(throws: CodedError<CryptographyErrorCode>(.malformedCMS)) { try CMSSignedData(bytes + [0]) }
    #expect(throws: CodedError<CryptographyErrorCode>(.malformedCMS)) {
      try CMSSignedData(written { $0.certificates = Array(repeating: Self.certificate, count: 9) })
    }
  }

  @Test(arguments: [false, true]) func `returns its parts, whatever the form of lengths`(_ isIndefinite: Bool) throws {
    let signed = try CMSSignedData(written { $0.isIndefinite = isIndefinite })
    #expect(signed.content == [UInt8](repeating: 5, count: 3000))
    #expect(signed.certificates.map(\.der) == [Self.certificate.der])
    #expect(signed.certificates[0].subject == Self.certificate.subject.der)
    #expect(signed.signerIssuer == Self.certificate.issuer.der && signed.signerSerialNumber == [0xFF, 1])
    #expect(signed.digestAlgorithm == ReceiptDigest.sha256.identifier && signed.signedAttributes == nil)
    #expect(signed.signatureAlgorithm == "1.2.840.113549.1.1.1")
    #expect(Self.certificate.isRSASignature(signed.signature, over: signed.content, digest: .sha256))
    #expect(!Self.certificate.isRSASignature(signed.signature, over: signed.content, digest: .sha1))
    let attributed = try CMSSignedData(written { $0.attributed = [1] })
    #expect(attributed.signedAttributes?.messageDigest == SHA256.hash([1]))
  }
}
