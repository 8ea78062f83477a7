package import Cryptography
package import PaymentPrimitives

/// The WeChat Pay keys that a merchant trusts: certificates and public keys.
///
/// The header of each message selects the key, never order or age. During a key change, or the change from certificates
/// to the public key, both keys sign on the same day.
package struct PlatformKeyRing: Sendable {
  package struct Entry: Sendable {
    package let identifier: PlatformKeyIdentifier
    package let key: RSAPublicKey
    /// The validity of the certificate; nil for a public key, which does not expire.
    package let validity: ClosedRange<Timestamp>?

    /// Whether the key may be used at a time.
    package func isValid(at now: Timestamp) -> Bool { validity?.contains(now) ?? true }
  }

  /// All keys: public keys first, in the given order, then certificates, latest expiry first.
  package private(set) var entries: [Entry] = []

  private let merchantKey: RSAPublicKey?

  /// An empty ring.
  ///
  /// - Parameter merchantKey: the merchant's own public key. Operators sometimes add it by mistake; the ring rejects
  ///   it.
  package init(merchantKey: RSAPublicKey? = nil) { self.merchantKey = merchantKey }

  /// Adds a platform public key with the id that the merchant platform shows.
  ///
  /// - Throws: `publicKeyIdentifier`, `merchantKeyAsPlatformKey`, `doubledPlatformKey`.
  package mutating func add(
    publicKey: RSAPublicKey, identifier: String
  ) throws(CodedError<MerchantKeyErrorCode>) {
    guard let identifier = PlatformKeyIdentifier(identifier), case .publicKey = identifier else {
      throw CodedError(.publicKeyIdentifier, "It must be PUB_KEY_ID_ and digits.")
    }
    try add(Entry(identifier: identifier, key: publicKey, validity: nil))
  }

  /// Adds a platform certificate; a known one changes nothing.
  ///
  /// - Throws: `platformCertificateKey`, `merchantKeyAsPlatformKey`, `doubledPlatformKey`.
  package mutating func add(certificate: X509Certificate) throws(CodedError<MerchantKeyErrorCode>) {
    guard let key = certificate.rsaPublicKey, certificate.notBefore <= certificate.notAfter else {
      throw CodedError(.platformCertificateKey)
    }
    try add(
      Entry(
        identifier: .certificate(CertificateSerial(of: certificate)), key: key,
        validity: certificate.notBefore...certificate.notAfter))
  }

  private mutating func add(_ entry: Entry) throws(CodedError<MerchantKeyErrorCode>) {
    guard entry.key != merchantKey else { throw CodedError(.merchantKeyAsPlatformKey) }
    if let known = self[entry.identifier] {
      guard known.key == entry.key else { throw CodedError(.doubledPlatformKey, "\(entry.identifier)") }
      return
    }
    let place = entries.firstIndex { other in
      guard let end = entry.validity?.upperBound else { return other.validity != nil }
      return other.validity.map { $0.upperBound < end } ?? false
    }
    entries.insert(entry, at: place ?? entries.endIndex)
  }

  /// Adds the certificates of another ring, which were downloaded. One that contradicts a key here is left out.
  package mutating func addCertificates(of other: PlatformKeyRing) {
    for entry in other.entries where entry.validity != nil { try? add(entry) }
  }

  /// Removes expired certificates; until its last second, a certificate may still sign.
  package mutating func removeExpired(at now: Timestamp) {
    entries.removeAll { $0.validity.map { $0.upperBound < now } ?? false }
  }

  package subscript(_ identifier: PlatformKeyIdentifier) -> Entry? {
    entries.first { $0.identifier == identifier }
  }

  /// The key that requests name in `Wechatpay-Serial` and that sensitive fields are encrypted to. It is the first
  /// public key, otherwise the valid certificate that expires last; nil if there is none.
  package func preferred(at now: Timestamp) -> Entry? { entries.first { $0.isValid(at: now) } }
}
