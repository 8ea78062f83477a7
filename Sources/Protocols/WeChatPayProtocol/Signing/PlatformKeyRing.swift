package import Cryptography
package import PaymentPrimitives

/// The keys of WeChat Pay's that a merchant believes, certificates and public keys side by side.
///
/// Which one counts is decided by the header of each message, never by order or age: while WeChat Pay changes from one
/// to another, and from certificates to the public key, both sign on the same day.
package struct PlatformKeyRing: Sendable {
  package struct Entry: Sendable {
    package let identifier: PlatformKeyIdentifier
    package let key: RSAPublicKey
    /// From when to when its certificate is valid; nil for a public key, which does not expire.
    package let validity: ClosedRange<Timestamp>?

    /// Whether it may be used at a moment.
    package func isValid(at now: Timestamp) -> Bool { validity?.contains(now) ?? true }
  }

  /// All keys: public keys first, in the order given, then certificates, those that end last first.
  package private(set) var entries: [Entry] = []

  private let merchantKey: RSAPublicKey?

  /// An empty ring.
  ///
  /// - Parameter merchantKey: the merchant's own public key, which people give by mistake: it is refused.
  package init(merchantKey: RSAPublicKey? = nil) { self.merchantKey = merchantKey }

  /// Adds a platform public key under the id that the merchant platform shows.
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

  /// Adds a platform certificate. One that is already there changes nothing.
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

  /// Takes out certificates that have ended; until its last second one may still sign.
  package mutating func removeExpired(at now: Timestamp) {
    entries.removeAll { $0.validity.map { $0.upperBound < now } ?? false }
  }

  package subscript(_ identifier: PlatformKeyIdentifier) -> Entry? {
    entries.first { $0.identifier == identifier }
  }

  /// The key that requests name in `Wechatpay-Serial` and sensitive fields are encrypted to: the first public key, else
  /// the certificate in force that ends last; nil when there is none.
  package func preferred(at now: Timestamp) -> Entry? { entries.first { $0.isValid(at: now) } }
}
