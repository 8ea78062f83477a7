package import PaymentPrimitives

/// The parts of a CMS SignedData (RFC 5652 §5, originally PKCS #7) with one signer: the form of an app receipt.
///
/// It is only parsed: no certificate is read and no signature is checked.
package struct CMSSignedData: Sendable {
  /// Attributes that are signed instead of the content.
  package struct SignedAttributes: Hashable, Sendable {
    /// The digest of the content according to the attributes; nil if they have none.
    package let messageDigest: [UInt8]?
    /// The signed bytes: the attributes under the tag of a SET (RFC 5652 §5.4).
    package let signedBytes: [UInt8]
  }

  /// An included certificate, parsed only as far as needed to distinguish it from others.
  package struct Certificate: Hashable, Sendable {
    /// Its exact bytes.
    package let der: [UInt8]
    package let issuer: [UInt8]
    package let serialNumber: [UInt8]
    package let subject: [UInt8]
  }

  package let content: [UInt8]
  /// The digest that the signer names.
  package let digestAlgorithm: ASN1ObjectIdentifier
  /// The algorithm that the signer names.
  package let signatureAlgorithm: ASN1ObjectIdentifier
  /// The issuer of the signer's certificate, in DER.
  package let signerIssuer: [UInt8]
  /// The issuer's number for the signer's certificate.
  package let signerSerialNumber: [UInt8]
  /// The included certificates, in their order.
  package let certificates: [Certificate]
  /// The signed attributes; nil when the content itself is signed.
  package let signedAttributes: SignedAttributes?
  package let signature: [UInt8]

  /// Maximum number of certificates, above any genuine receipt. `X509Certificate` limits the size of each.
  static let certificatesMax = 8

  /// Parses a SignedData in BER or DER.
  ///
  /// - Throws: `malformedCMS` when it is no SignedData, when bytes follow it, when it has not exactly one signer,
  ///   or when the content is not included.
  package init(_ bytes: [UInt8]) throws(CodedError<CryptographyErrorCode>) {
    do throws(BERError) {
      try self.init(reading: bytes)
    } catch {
      throw CodedError(.malformedCMS)
    }
  }

  private static let signedData = ASN1ObjectIdentifier.bytes("1.2.840.113549.1.7.2")
  private static let data = ASN1ObjectIdentifier.bytes("1.2.840.113549.1.7.1")
  private static let messageDigest = ASN1ObjectIdentifier.bytes("1.2.840.113549.1.9.4")

  private init(reading bytes: [UInt8]) throws(BERError) {
    let outside = try Self.only(BERElement.sequence, in: BERReader(bytes))
    var info = outside
    guard try info.content(of: info.next(BERElement.objectIdentifier)).elementsEqual(Self.signedData) else {
      throw .malformed
    }
    let wrapped = try info.next(0xA0)
    guard info.isAtEnd else { throw .malformed }
    var signed = try Self.only(BERElement.sequence, in: info.inside(wrapped))
    _ = try signed.next(BERElement.integer)
    _ = try signed.next(BERElement.set)
    content = try Self.content(of: signed.next(BERElement.sequence), signed)
    certificates = try Self.certificates(&signed)
    // Certificate revocation lists: receipts have none, and no code uses them.
    _ = try signed.next(if: 0xA1)
    let signers = try signed.next(BERElement.set)
    guard signed.isAtEnd else { throw .malformed }
    var signer = try Self.only(BERElement.sequence, in: signed.inside(signers))
    _ = try signer.next(BERElement.integer)
    var identifier = try signer.inside(signer.next(BERElement.sequence))
    signerIssuer = try Array(identifier.whole(of: identifier.next(BERElement.sequence)))
    signerSerialNumber = try Self.magnitude(identifier.content(of: identifier.next(BERElement.integer)))
    guard identifier.isAtEnd else { throw .malformed }
    digestAlgorithm = try Self.algorithm(&signer)
    signedAttributes = try Self.attributes(&signer)
    signatureAlgorithm = try Self.algorithm(&signer)
    signature = try signer.octets(of: signer.next())
    _ = try signer.next(if: 0xA1)
    guard signer.isAtEnd else { throw .malformed }
  }

  /// A reader over the content of the only element of a reader.
  private static func only(_ tag: UInt8, in reader: BERReader) throws(BERError) -> BERReader {
    var reader = reader
    let element = try reader.next(tag)
    guard reader.isAtEnd else { throw .malformed }
    return try reader.inside(element)
  }

  private static func content(of element: BERElement, _ reader: BERReader) throws(BERError) -> [UInt8] {
    var encapsulated = try reader.inside(element)
    guard try encapsulated.content(of: encapsulated.next(BERElement.objectIdentifier)).elementsEqual(data) else {
      throw .malformed
    }
    var explicit = try encapsulated.inside(encapsulated.next(0xA0))
    let octets = try explicit.octets(of: explicit.next())
    guard explicit.isAtEnd, encapsulated.isAtEnd else { throw .malformed }
    return octets
  }

  private static func certificates(_ reader: inout BERReader) throws(BERError) -> [Certificate] {
    guard let all = try reader.next(if: 0xA0) else { return [] }
    var list = try reader.inside(all)
    var certificates: [Certificate] = []
    while !list.isAtEnd {
      let element = try list.next(BERElement.sequence)
      let bytes = list.whole(of: element)
      guard certificates.count < certificatesMax, bytes.count <= X509Certificate.bytesMax else { throw .malformed }
      var outside = try list.inside(element)
      var parts = try outside.inside(outside.next(BERElement.sequence))
      _ = try parts.next(if: 0xA0)
      let serialNumber = try magnitude(parts.content(of: parts.next(BERElement.integer)))
      _ = try parts.next(BERElement.sequence)
      let issuer = try Array(parts.whole(of: parts.next(BERElement.sequence)))
      _ = try parts.next(BERElement.sequence)
      let subject = try Array(parts.whole(of: parts.next(BERElement.sequence)))
      certificates.append(
        Certificate(der: Array(bytes), issuer: issuer, serialNumber: serialNumber, subject: subject))
    }
    return certificates
  }

  private static func algorithm(_ reader: inout BERReader) throws(BERError) -> ASN1ObjectIdentifier {
    var parts = try reader.inside(reader.next(BERElement.sequence))
    let name = try parts.content(of: parts.next(BERElement.objectIdentifier))
    guard let identifier = ASN1ObjectIdentifier(content: name) else { throw .malformed }
    if !parts.isAtEnd { _ = try parts.next() }
    guard parts.isAtEnd else { throw .malformed }
    return identifier
  }

  private static func attributes(_ reader: inout BERReader) throws(BERError) -> SignedAttributes? {
    guard let all = try reader.next(if: 0xA0) else { return nil }
    var list = try reader.inside(all)
    var digest: [UInt8]?
    while !list.isAtEnd {
      var attribute = try list.inside(list.next(BERElement.sequence))
      let name = try attribute.content(of: attribute.next(BERElement.objectIdentifier))
      var values = try attribute.inside(attribute.next(BERElement.set))
      guard name.elementsEqual(messageDigest) else { continue }
      guard digest == nil else { throw .malformed }
      digest = try values.octets(of: values.next())
      guard values.isAtEnd else { throw .malformed }
    }
    // The DER form is signed. If the sender wrote another form, the signature does not match these bytes.
    return SignedAttributes(
      messageDigest: digest, signedBytes: DERWriter.element(BERElement.set, Array(reader.content(of: all))))
  }

  /// A number in OpenSSL's form: without the leading byte that keeps it positive.
  private static func magnitude(_ content: ArraySlice<UInt8>) throws(BERError) -> [UInt8] {
    guard !content.isEmpty, content.count <= 64 else { throw .malformed }
    let digits = content.drop { $0 == 0 }
    return digits.isEmpty ? [0] : Array(digits)
  }
}

extension ASN1ObjectIdentifier {
  /// The content bytes of an identifier, for comparison.
  fileprivate static func bytes(_ identifier: ASN1ObjectIdentifier) -> [UInt8] { identifier.der }

  /// An identifier from the content bytes of its DER form; nil if they are not valid, or a number exceeds 56 bits.
  init?(content: some Collection<UInt8>) {
    var numbers: [UInt64] = []
    var number: UInt64 = 0
    var isOpen = false
    for byte in content {
      guard number < 1 << 49, isOpen || byte != 0x80 else { return nil }
      number = number << 7 | UInt64(byte & 0x7F)
      isOpen = byte & 0x80 != 0
      if isOpen { continue }
      if numbers.isEmpty {
        let first = min(number / 40, 2)
        numbers = [first, number - first * 40]
      } else {
        numbers.append(number)
      }
      number = 0
    }
    guard !isOpen, numbers.count >= 2, numbers.count <= 32 else { return nil }
    self.init(written: numbers.map { String($0) }.joined(separator: "."))
  }
}
