public import Cryptography
public import PaymentVocabulary

/// The keys of WeChat Pay's that a merchant believes, certificates and public keys side by side.
///
/// Which one counts is decided by the header of each message, never by order or age: while WeChat Pay changes from one
/// to another, and from certificates to the public key, both sign on the same day.
public struct PlatformKeyRing: Sendable {
  /// One key.
  public struct Entry: Sendable {
    /// What the header calls it.
    public let identifier: PlatformKeyIdentifier
    /// The key.
    public let key: RSAPublicKey
    /// From when to when its certificate is valid; nil for a public key, which does not expire.
    public let validity: ClosedRange<Timestamp>?

    /// Whether it may be used at a moment.
    public func isValid(at now: Timestamp) -> Bool { validity?.contains(now) ?? true }
  }

  /// All keys: public keys first, in the order given, then certificates, those that end last first.
  public private(set) var entries: [Entry] = []

  private let merchantKey: RSAPublicKey?

  /// An empty ring.
  ///
  /// - Parameter merchantKey: the merchant's own public key, which people give by mistake: it is refused.
  public init(merchantKey: RSAPublicKey? = nil) { self.merchantKey = merchantKey }

  /// Adds a platform public key under the id that the merchant platform shows.
  ///
  /// - Throws: `publicKeyIdentifier`, `merchantKeyAsPlatformKey`, `doubledPlatformKey`.
  public mutating func add(
    publicKey: RSAPublicKey, identifier: String
  ) throws(Refusal<MerchantKeyErrorCode>) {
    guard let identifier = PlatformKeyIdentifier(identifier), case .publicKey = identifier else {
      throw Refusal(.publicKeyIdentifier, "It must be PUB_KEY_ID_ and digits.")
    }
    try add(Entry(identifier: identifier, key: publicKey, validity: nil))
  }

  /// Adds a platform certificate. One that is already there changes nothing.
  ///
  /// - Throws: `platformCertificateKey`, `merchantKeyAsPlatformKey`, `doubledPlatformKey`.
  public mutating func add(certificate: X509Certificate) throws(Refusal<MerchantKeyErrorCode>) {
    guard let key = certificate.rsaPublicKey, certificate.notBefore <= certificate.notAfter else {
      throw Refusal(.platformCertificateKey)
    }
    try add(
      Entry(
        identifier: .certificate(CertificateSerial(of: certificate)), key: key,
        validity: certificate.notBefore...certificate.notAfter))
  }

  private mutating func add(_ entry: Entry) throws(Refusal<MerchantKeyErrorCode>) {
    guard entry.key != merchantKey else { throw Refusal(.merchantKeyAsPlatformKey) }
    if let known = self[entry.identifier] {
      guard known.key == entry.key else { throw Refusal(.doubledPlatformKey, "\(entry.identifier)") }
      return
    }
    let place = entries.firstIndex { other in
      guard let end = entry.validity?.upperBound else { return other.validity != nil }
      return other.validity.map { $0.upperBound < end } ?? false
    }
    entries.insert(entry, at: place ?? entries.endIndex)
  }

  /// Takes out certificates that have ended; until its last second one may still sign.
  public mutating func removeExpired(at now: Timestamp) {
    entries.removeAll { $0.validity.map { $0.upperBound < now } ?? false }
  }

  /// The key of that name.
  public subscript(_ identifier: PlatformKeyIdentifier) -> Entry? {
    entries.first { $0.identifier == identifier }
  }

  /// The key that requests name in `Wechatpay-Serial` and sensitive fields are encrypted to: the first public key, else
  /// the certificate in force that ends last; nil when there is none.
  public func preferred(at now: Timestamp) -> Entry? { entries.first { $0.isValid(at: now) } }
}
