package import Cryptography
package import PaymentPrimitives

/// An OCSP responder's answer as bytes (RFC 6960 §4.2). It is written without OpenSSL, so that a verifier's mistakes
/// are not shared.
package struct CertificateStatusAnswer: Sendable {
  package enum Word: Hashable, Sendable {
    case good
    case revoked(at: Timestamp)
    case unknown
  }

  /// What is said of one certificate.
  package struct Entry: Sendable {
    /// The certificate's id as the question has it, in DER.
    package let id: [UInt8]
    package let word: Word

    package init(id: [UInt8], word: Word) { (self.id, self.word) = (id, word) }
  }

  package var entries: [Entry]
  package var thisUpdate: Timestamp
  /// Nil omits it.
  package var nextUpdate: Timestamp?

  package init(_ entries: [Entry], thisUpdate: Timestamp, nextUpdate: Timestamp?) {
    (self.entries, self.thisUpdate, self.nextUpdate) = (entries, thisUpdate, nextUpdate)
  }

  /// The answer, signed by a responder, whose certificate comes along.
  package func signed(by key: ECDSAPrivateKey, certificates: [X509Certificate]) -> [UInt8] {
    let content = DERWriter.sequence([
      DERWriter.tagged(2, DERWriter.octetString(SHA1.hash(key.publicKey.point))), Self.time(thisUpdate),
      DERWriter.sequence(entries.map(der(of:))),
    ])
    let digest = key.curve.digest
    let algorithm = DERWriter.sequence([DERWriter.objectIdentifier(digest.ecdsaIdentifier)])
    let signature = key.deterministicSignature(for: content, digest: digest).der
    let basic = DERWriter.sequence([
      content, algorithm, DERWriter.bitString(signature),
      DERWriter.tagged(0, DERWriter.sequence(certificates.map(\.der))),
    ])
    return DERWriter.sequence([
      Self.outcome(0),
      DERWriter.tagged(
        0, DERWriter.sequence([DERWriter.objectIdentifier("1.3.6.1.5.5.7.48.1.1"), DERWriter.octetString(basic)])),
    ])
  }

  /// An answer without any status, such as 3: try later.
  package static func failure(_ number: UInt8) -> [UInt8] { DERWriter.sequence([outcome(number)]) }

  private static func outcome(_ number: UInt8) -> [UInt8] { DERWriter.element(0x0A, [number]) }

  private func der(of entry: Entry) -> [UInt8] {
    let word: [UInt8] =
      switch entry.word {
      case .good: DERWriter.element(0x80, [])
      // The reason is keyCompromise (RFC 5280 §5.3.1).
      case .revoked(let moment):
        DERWriter.tagged(1, Self.time(moment) + DERWriter.tagged(0, DERWriter.element(0x0A, [1])))
      case .unknown: DERWriter.element(0x82, [])
      }
    let next = nextUpdate.map { DERWriter.tagged(0, Self.time($0)) }
    return DERWriter.sequence([entry.id, word, Self.time(thisUpdate)] + (next.map { [$0] } ?? []))
  }

  /// GeneralizedTime in whole seconds.
  private static func time(_ moment: Timestamp) -> [UInt8] {
    let digits = moment.iso8601.utf8.prefix { $0 != 0x2E }.filter { (0x30...0x39).contains($0) }
    return DERWriter.element(0x18, digits + [0x5A])
  }
}

/// A question to an OCSP responder, as far as a responder needs it.
package struct CertificateStatusQuery: Sendable {
  /// One certificate that is asked about.
  package struct Item: Sendable {
    /// Its id in DER.
    package let id: [UInt8]
    /// The digest of the issuer's key, made with `digest`.
    package let issuerKeyHash: [UInt8]
    package let digest: ASN1ObjectIdentifier
    package let serialNumber: [UInt8]
  }

  package let items: [Item]

  /// More are not answered at once.
  private static let itemsMax = 16

  /// Reads a question; nil if it is none.
  package init?(_ bytes: [UInt8]) {
    guard let items = try? Self.items(in: bytes), (1...Self.itemsMax).contains(items.count) else { return nil }
    self.items = items
  }

  private static func items(in bytes: [UInt8]) throws(BERError) -> [Item] {
    var whole = BERReader(bytes)
    var request = try whole.inside(whole.next(BERElement.sequence))
    var content = try request.inside(request.next(BERElement.sequence))
    // The version, and the name of who asks.
    for tag in [UInt8(0xA0), 0xA1] { _ = try content.next(if: tag) }
    var list = try content.inside(content.next(BERElement.sequence))
    var items: [Item] = []
    while !list.isAtEnd, items.count <= itemsMax {
      var single = try list.inside(list.next(BERElement.sequence))
      let id = try single.next(BERElement.sequence)
      var parts = try single.inside(id)
      var algorithm = try parts.inside(parts.next(BERElement.sequence))
      let digest = Array(try algorithm.content(of: algorithm.next(BERElement.objectIdentifier)))
      _ = try parts.next(BERElement.octetString)
      let key = try parts.next(BERElement.octetString)
      let serial = try parts.next(BERElement.integer)
      guard let name = [Self.sha1, Self.sha256].first(where: { $0.der == digest }) else { throw .malformed }
      items.append(
        Item(
          id: Array(single.whole(of: id)), issuerKeyHash: Array(parts.content(of: key)), digest: name,
          serialNumber: Array(parts.content(of: serial).drop { $0 == 0 })))
    }
    return items
  }

  private static let sha1: ASN1ObjectIdentifier = "1.3.14.3.2.26"
  private static let sha256: ASN1ObjectIdentifier = "2.16.840.1.101.3.4.2.1"
}

extension CertificateStatusQuery.Item {
  /// Whether this certificate issued the one that is asked about.
  package func isIssued(by issuer: X509Certificate) -> Bool {
    guard let point = issuer.publicKey?.point else { return false }
    return ReceiptDigest(digest).map { $0.hash(point) == issuerKeyHash } ?? false
  }
}

extension X509Extension {
  /// The address of an OCSP responder (RFC 5280 §4.2.2.1).
  package static func statusAddress(_ url: String) -> X509Extension {
    X509Extension(
      "1.3.6.1.5.5.7.1.1",
      value: DERWriter.sequence([
        DERWriter.sequence([
          DERWriter.objectIdentifier("1.3.6.1.5.5.7.48.1"), DERWriter.element(0x86, Array(url.utf8)),
        ])
      ]))
  }

  /// The right to answer for the issuer (RFC 6960 §4.2.2.2), without being asked about itself (RFC 6960 §4.2.2.2.1).
  package static let signsStatuses: [X509Extension] = [
    X509Extension(
      X509Extension.extendedKeyUsage, value: DERWriter.sequence([DERWriter.objectIdentifier("1.3.6.1.5.5.7.3.9")])),
    .marker("1.3.6.1.5.5.7.48.1.5"),
  ]
}
