package import Cryptography

/// An authenticator and its browser in memory: makes a passkey and signs with it. Each part can be made wrong.
package struct SoftwareAuthenticator {
  package static let presentAndVerified: UInt8 = 0x05

  package var host = "localhost"
  package var origin = "http://localhost:8090"
  package var flags = presentAndVerified
  package var signCount: UInt32 = 0
  package var credential: [UInt8] = Array(repeating: 7, count: 16)
  package let key: ECDSAPrivateKey

  package init(scalar: UInt8 = 1) throws {
    key = try ECDSAPrivateKey(curve: .p256, scalar: Secret([UInt8](repeating: 0, count: 31) + [scalar]))
  }

  /// The browser's statement: `webauthn.get` or `webauthn.create`.
  package func clientData(_ type: String, _ challenge: [UInt8]) -> [UInt8] {
    let challenge = Base64URL.encode(challenge)
    let text = #"{"type":"\#(type)","challenge":"\#(challenge)","origin":"\#(origin)","crossOrigin":false}"#
    return Array(text.utf8)
  }

  private var head: [UInt8] { Array(SHA256.hash(host)) }

  private var count: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: signCount >> (24 - 8 * UInt32($0))) } }

  package var authenticatorData: [UInt8] { head + [flags] + count }

  /// The data of a new passkey: 16 bytes for the model, the credential's id, its key as COSE.
  package var registrationData: [UInt8] {
    let point = key.publicKey.point
    let cose: [UInt8] =
      [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + point[1...32] + [0x22, 0x58, 0x20]
      + point[33...]
    return head + [flags | 0x40] + count + [UInt8](repeating: 0, count: 16)
      + [UInt8(credential.count >> 8), UInt8(credential.count & 255)] + credential + cose
  }

  /// `{"fmt": "none", "attStmt": {}, "authData": …}`
  package func attestation(_ data: [UInt8]) -> [UInt8] {
    // CBOR has one form for each length.
    let length =
      data.count < 256 ? [0x58, UInt8(data.count)] : [0x59, UInt8(data.count >> 8), UInt8(data.count & 255)]
    return [0xA3, 0x63] + Array("fmt".utf8) + [0x64] + Array("none".utf8) + [0x67] + Array("attStmt".utf8) + [
      0xA0, 0x68,
    ]
      + Array("authData".utf8) + length + data
  }

  package func signature(_ data: [UInt8], _ clientData: [UInt8]) -> [UInt8] {
    key.signature(for: data + SHA256.hash(clientData)).der
  }
}
