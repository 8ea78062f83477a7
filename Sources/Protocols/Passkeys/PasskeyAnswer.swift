package import Cryptography
import StrictJSON

/// A new passkey, as a browser sends it. Who made the authenticator is not asked (attestation `none`).
package struct PasskeyRegistration {
  package let credential: [UInt8]
  package let key: ECDSAPublicKey
  package let signCount: UInt32

  /// - Throws: what keeps it from being taken.
  package init(
    clientData: [UInt8], attestation: [UInt8], to question: PasskeyQuestion
  ) throws(PasskeyProblem) {
    try question.check(clientData, type: "webauthn.create")
    guard attestation.count <= CBORReader.bytesMax else { throw .tooLarge }
    let value: CBORValue
    do throws(CBORReader.Problem) {
      let (read, rest) = try CBORReader.read(attestation[...])
      guard rest.isEmpty else { throw .unsupported }
      value = read
    } catch { throw .malformed }
    guard let bytes = value[.text("authData")]?.bytes else { throw .malformed }
    let data = try AuthenticatorData(bytes)
    try question.check(data)
    guard let made = data.credential else { throw .malformed }
    (credential, key) = made
    signCount = data.signCount
  }
}

/// That the holder of a passkey was there and was recognised.
package struct PasskeyAssertion {
  package let signCount: UInt32

  /// - Parameter key: the passkey's own.
  /// - Throws: what keeps it from being taken.
  package init(
    clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8], by key: ECDSAPublicKey,
    to question: PasskeyQuestion
  ) throws(PasskeyProblem) {
    try question.check(clientData, type: "webauthn.get")
    let data = try AuthenticatorData(authenticatorData)
    try question.check(data)
    let signed = authenticatorData + SHA256.hash(clientData)
    guard let signature = try? ECDSASignature(der: signature, curve: .p256), key.isValid(signature, for: signed) else {
      throw .signatureInvalid
    }
    signCount = data.signCount
  }
}

extension PasskeyQuestion {
  private static let limits = JSONLimits(
    bytesMax: Passkeys.clientDataBytesMax, depthMax: 4, valuesMax: 64, allowsNullCharacter: false)

  /// The browser's own statement: what it was asked, and on which page.
  fileprivate func check(_ clientData: [UInt8], type: String) throws(PasskeyProblem) {
    guard clientData.count <= Passkeys.clientDataBytesMax else { throw .tooLarge }
    guard let json = try? JSONReader.read(clientData, limits: Self.limits) else { throw .malformed }
    guard json["type"]?.string == type, json["challenge"]?.string == Base64URL.encode(challenge),
      json["origin"]?.string == origin, json["crossOrigin"]?.bool != true
    else { throw .notAsked }
  }

  fileprivate func check(_ data: AuthenticatorData) throws(PasskeyProblem) {
    guard data.relyingPartyHash == SHA256.hash(relyingParty) else { throw .notAsked }
    guard data.isUserPresent, data.isUserVerified else { throw .userUnverified }
  }
}
