import AppStoreProtocol
package import Cryptography
import PaymentPrimitives
import SigningAuthorities
package import StrictJSON

/// An in-app purchase key of the team, as App Store Connect lists it: the public half.
package struct SimulatedAPIKey: Hashable, Sendable {
  /// Ten upper-case letters and digits: `kid`.
  package let keyId: String
  /// The team's issuer: `iss`.
  package let issuerId: AppStoreUUID
  package let publicKey: ECDSAPublicKey

  /// A key on P-256; nil for an id of another form, or another curve.
  package init?(keyId: String, issuerId: AppStoreUUID, publicKey: ECDSAPublicKey) {
    guard Names.keyId(keyId) != nil, publicKey.curve == .p256 else { return nil }
    (self.keyId, self.issuerId, self.publicKey) = (keyId, issuerId, publicKey)
  }

  init(_ fields: JSONFields) throws(JSONFieldError) {
    keyId = try fields.converted("keyId", "ten upper-case letters and digits", Names.keyId)
    issuerId = try fields.uuid("issuerId")
    publicKey = try fields.converted("publicKey", "a public key on P-256 in PEM") { text in
      guard let key = try? ECDSAPublicKey(pem: text), key.curve == .p256 else { return nil }
      return key
    }
  }

  /// The key as the log and the control API write it.
  package var json: JSONValue {
    .members([
      ("keyId", .string(keyId)), ("issuerId", .string(issuerId.text)),
      ("publicKey", .string(PEM.text(label: "PUBLIC KEY", bytes: publicKey.spki))),
    ])
  }
}

/// The key that every simulator has from the beginning, made of its seed: for tests and for `counterfoil-lab run`.
package struct SimulatedTestAPIKey: Sendable {
  /// The public half, always registered.
  package let key: SimulatedAPIKey
  /// The private half. Only this simulator trusts it.
  package let testPrivateKey: ECDSAPrivateKey

  /// The private half in Apple's form: the text of a `.p8` file.
  package var testPrivateKeyPEM: String {
    testPrivateKey.pkcs8.withBytes { PEM.text(label: "PRIVATE KEY", bytes: $0) }
  }

  init(seed: [UInt8]) {
    func bytes(_ role: String) -> [UInt8] { SHA256.hash(seed + Array("Counterfoil Simulator API key: \(role)".utf8)) }
    let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
    let keyId = String(bytes("id").prefix(10).map { alphabet[Int($0) % alphabet.count] })
    let privateKey = ECDSAPrivateKey(curve: .p256, randomBytes: bytes("private"))
    guard
      let key = SimulatedAPIKey(
        keyId: keyId, issuerId: AppStoreUUID(random: bytes("issuer")), publicKey: privateKey.publicKey)
    else { preconditionFailure("ten letters and digits are an id") }
    (self.key, testPrivateKey) = (key, privateKey)
  }
}
