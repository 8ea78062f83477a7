import Cryptography
import PaymentPrimitives
import SigningAuthorities
import WeChatPayProtocol

/// The platform's keys, each created at its first use.
///
/// It belongs to the actor of WeChat Pay: all its calls run there.
final class PlatformKeys {
  private let platform: SimulatedPlatform
  private var known: [PlatformKeyName: PlatformKey] = [:]

  init(_ platform: SimulatedPlatform) { self.platform = platform }

  func key(_ name: PlatformKeyName, in policy: PlatformKeyPolicy) -> PlatformKey {
    if let known = known[name] { return known }
    let privateKey = platform.privateKey(name)
    let made: PlatformKey
    switch name {
    case .publicKey, .secondPublicKey:
      let identifier = PlatformKeyIdentifier.publicKey(platform.publicKeyIdentifier(of: name))
      made = PlatformKey(
        signer: PlatformSigner(identifier: identifier, privateKey: privateKey), privateKey: privateKey, certificate: nil
      )
    case .certificate(let number):
      let certificate = platform.certificate(
        number, issuedAt: policy.certificatesIssued[number - 1], key: privateKey)
      let identifier = PlatformKeyIdentifier.certificate(CertificateSerial(of: certificate))
      made = PlatformKey(
        signer: PlatformSigner(identifier: identifier, privateKey: privateKey), privateKey: privateKey,
        certificate: certificate)
    }
    known[name] = made
    return made
  }

  /// The platform certificates, in order.
  func certificates(in policy: PlatformKeyPolicy) -> [X509Certificate] {
    policy.certificatesIssued.indices.compactMap { key(.certificate($0 + 1), in: policy).certificate }
  }

  /// The names of all keys by their identifiers in headers.
  func identifiers(in policy: PlatformKeyPolicy) -> [PlatformKeyIdentifier: PlatformKeyName] {
    var names: [PlatformKeyIdentifier: PlatformKeyName] = [.publicKey(platform.publicKeyIdentifier): .publicKey]
    if policy.hasSecondPublicKey {
      names[.publicKey(platform.publicKeyIdentifier(of: .secondPublicKey))] = .secondPublicKey
    }
    for index in policy.certificatesIssued.indices {
      names[key(.certificate(index + 1), in: policy).identifier] = .certificate(index + 1)
    }
    return names
  }
}
