package import Cryptography
import PaymentPrimitives
import SigningAuthorities
import WeChatPayProtocol

extension SimulatedWeChatPay {
  /// The platform public key, as the merchant platform shows it: a server has to trust it.
  package func platformPublicKey() -> (identifier: String, key: RSAPublicKey) {
    (platform.publicKeyIdentifier, key(.publicKey).privateKey.publicKey)
  }

  /// The platform certificates, in order.
  package func platformCertificates() -> [X509Certificate] {
    state.keys.certificatesIssued.indices.compactMap { key(.certificate($0 + 1)).certificate }
  }

  func identifiers() -> [PlatformKeyIdentifier: PlatformKeyName] {
    var names: [PlatformKeyIdentifier: PlatformKeyName] = [.publicKey(platform.publicKeyIdentifier): .publicKey]
    for index in state.keys.certificatesIssued.indices {
      names[key(.certificate(index + 1)).identifier] = .certificate(index + 1)
    }
    return names
  }

  /// A key, created at its first use.
  func key(_ name: PlatformKeyName) -> PlatformKey {
    if let known = keys[name] { return known }
    let privateKey = platform.privateKey(name)
    let made: PlatformKey
    switch name {
    case .publicKey:
      made = PlatformKey(
        signer: PlatformSigner(identifier: .publicKey(platform.publicKeyIdentifier), privateKey: privateKey),
        privateKey: privateKey, certificate: nil)
    case .certificate(let number):
      let certificate = platform.certificate(
        number, issuedAt: state.keys.certificatesIssued[number - 1], key: privateKey)
      let identifier = PlatformKeyIdentifier.certificate(CertificateSerial(of: certificate))
      made = PlatformKey(
        signer: PlatformSigner(identifier: identifier, privateKey: privateKey), privateKey: privateKey,
        certificate: certificate)
    }
    keys[name] = made
    return made
  }

  /// The key that signs an answer: the public key if the request names it, otherwise the current choice.
  func answerKey(asked: PlatformKeyName?) -> PlatformKey {
    if state.keys.mode == .publicKey || asked == .publicKey && state.keys.mode != .certificates {
      return key(.publicKey)
    }
    return key(drawn(state.keys.answers))
  }

  /// The key that signs a notification: there is no request that could name one.
  func notificationKey() -> PlatformKey {
    state.keys.mode == .publicKey ? key(.publicKey) : key(drawn(state.keys.notifications))
  }

  private func drawn(_ signing: PlatformKeyPolicy.Signing) -> PlatformKeyName {
    guard let next = signing.to else { return signing.from }
    return Int64(dependencies.randomNumber(below: 1000)) < signing.permille(at: now()) ? next : signing.from
  }
}
