package import Cryptography
import PaymentPrimitives
import SigningAuthorities
import SimulatorCore
import WeChatPayProtocol

/// The keys of a simulated WeChat Pay, made of given random bytes: the same bytes and moment give the same keys. The
/// names in their certificates identify a simulator.
package struct SimulatedPlatform: Sendable {
  /// The id of the platform public key.
  package let publicKeyIdentifier: String
  private let secondPublicKeyIdentifier: String

  private let seed: [UInt8]
  private let createdAt: Timestamp
  private let prepared: [PlatformKeyName: RSAPrivateKey]
  private static let name = "Counterfoil Simulator"

  init(_ origin: SimulatorOrigin, _ keys: PreparedPlatformKeys? = nil) {
    seed = origin.testKeySeed
    prepared = keys?.testKeySeed == seed ? keys?.keys ?? [:] : [:]
    createdAt = origin.createdAt
    let seed = origin.testKeySeed
    let moment = String(decoding: BeijingTime.billText(createdAt).utf8.filter(Forms.isDigit), as: UTF8.self)
    let identifier = { (purpose: String) in
      let digits = SHA256.hash(seed + Array("\(Self.name) \(purpose)".utf8)).map { "\($0 % 10)" }.joined()
      return "PUB_KEY_ID_01" + moment + digits.prefix(18)
    }
    publicKeyIdentifier = identifier("public key id")
    secondPublicKeyIdentifier = identifier("second public key id")
  }

  /// The id of either public key.
  func publicKeyIdentifier(of name: PlatformKeyName) -> String {
    name == .secondPublicKey ? secondPublicKeyIdentifier : publicKeyIdentifier
  }

  /// The platform public key, as the merchant platform shows it: a server has to trust it.
  package var publicKey: RSAPublicKey { privateKey(.publicKey).publicKey }

  /// The private key of a name. Creating it takes some tenths of a second, so callers that sign often keep it.
  func privateKey(_ name: PlatformKeyName) -> RSAPrivateKey { prepared[name] ?? Self.privateKey(name, seed) }

  fileprivate static func privateKey(_ name: PlatformKeyName, _ seed: [UInt8]) -> RSAPrivateKey {
    RSAPrivateKey(randomBytes: SHA384.hash(seed + Array("\(Self.name) platform key: \(name.text)".utf8)))
  }

  /// Bytes for one purpose; they reveal nothing about those of another.
  func secret(_ purpose: String) -> [UInt8] { SHA384.hash(seed + Array("\(Self.name) \(purpose)".utf8)) }

  /// The API certificate of a merchant, valid for five years as WeChat Pay's are.
  func merchantCertificate(_ mchid: String, _ key: RSAPrivateKey) -> X509Certificate {
    var serial = Array(secret("merchant serial \(mchid)").prefix(20))
    serial[0] = serial[0] & 0x3F | 0x40
    let start = Timestamp(seconds: createdAt.seconds) - .days(1)
    var builder = X509CertificateBuilder(
      subject: X509NameParts(commonName: mchid, organization: "\(Self.name) Test Merchant"), serialNumber: serial,
      notBefore: start, notAfter: start + .days(5 * 365))
    builder.basicConstraints = .endEntity
    builder.keyUsage = .digitalSignature
    return builder.selfSigned(by: key)
  }

  /// The certificate with a number, valid for five years from its issue.
  func certificate(_ number: Int, issuedAt moment: Timestamp, key: RSAPrivateKey) -> X509Certificate {
    var serial = Array(SHA256.hash(seed + Array("\(Self.name) platform serial: \(number)".utf8)).prefix(20))
    serial[0] = serial[0] & 0x3F | 0x40
    let start = Timestamp(seconds: moment.seconds)
    var builder = X509CertificateBuilder(
      subject: X509NameParts(
        commonName: "\(Self.name) Test Platform \(number), not WeChat Pay's", organization: Self.name),
      serialNumber: serial, notBefore: start - .days(1), notAfter: start + .days(5 * 365))
    builder.basicConstraints = .endEntity
    builder.keyUsage = .digitalSignature
    return builder.selfSigned(by: key)
  }
}

/// The platform keys of a seed, created once for many simulators. A key takes some tenths of a second, and one test run
/// opens hundreds of simulators.
package struct PreparedPlatformKeys: Sendable {
  /// The seed of all keys.
  package let testKeySeed: [UInt8]
  fileprivate let keys: [PlatformKeyName: RSAPrivateKey]

  /// The public key and the first certificates of a seed.
  ///
  /// - Parameters:
  ///   - testKeySeed: 48 bytes.
  ///   - certificates: the number of prepared certificate keys; further ones are created when they are issued.
  package init(testKeySeed: [UInt8], certificates: Int = 2) {
    precondition(testKeySeed.count == SimulatorOrigin.seedByteCount, "a platform needs 48 bytes")
    self.testKeySeed = testKeySeed
    let names = [PlatformKeyName.publicKey] + (0..<certificates).map { .certificate($0 + 1) }
    keys = Dictionary(uniqueKeysWithValues: names.map { ($0, SimulatedPlatform.privateKey($0, testKeySeed)) })
  }
}

/// A platform key, ready to sign.
struct PlatformKey: Sendable {
  let signer: PlatformSigner
  let privateKey: RSAPrivateKey
  /// Nil for the public key.
  let certificate: X509Certificate?

  var identifier: PlatformKeyIdentifier { signer.identifier }
}
