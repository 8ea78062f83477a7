import Cryptography

/// What an authenticator states about itself (Web Authentication, section 6.1).
struct AuthenticatorData {
  /// More than any authenticator sends; most of it is the id of the credential.
  static let bytesMax = 4096

  /// SHA-256 of the host that the authenticator answered to.
  let relyingPartyHash: [UInt8]
  let isUserPresent: Bool
  /// Whether the authenticator has seen who is there: by a fingerprint, a face or a PIN.
  let isUserVerified: Bool
  /// Grows with each use; always 0 for authenticators that do not count.
  let signCount: UInt32
  /// The new credential, in a registration alone.
  let credential: (id: [UInt8], key: ECDSAPublicKey)?

  init(_ bytes: [UInt8]) throws(PasskeyProblem) {
    guard bytes.count <= Self.bytesMax else { throw .tooLarge }
    guard bytes.count >= 37 else { throw .malformed }
    relyingPartyHash = Array(bytes[..<32])
    let flags = bytes[32]
    isUserPresent = flags & 0x01 != 0
    isUserVerified = flags & 0x04 != 0
    signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    var rest = bytes[37...]
    if flags & 0x40 != 0 {
      credential = try Self.credential(&rest)
    } else {
      credential = nil
    }
    if flags & 0x80 != 0 { rest = try Self.value(of: rest).rest }
    guard rest.isEmpty else { throw .malformed }
  }

  private static func credential(
    _ rest: inout ArraySlice<UInt8>
  ) throws(PasskeyProblem) -> (id: [UInt8], key: ECDSAPublicKey) {
    // 16 bytes name the model, which nobody is asked for.
    guard rest.count >= 18 else { throw .malformed }
    let length = Int(rest[rest.startIndex + 16]) << 8 | Int(rest[rest.startIndex + 17])
    rest = rest.dropFirst(18)
    guard (1...Passkeys.credentialBytesMax).contains(length), rest.count >= length else { throw .malformed }
    let id = Array(rest.prefix(length))
    let (value, after) = try value(of: rest.dropFirst(length))
    rest = after
    return (id, try key(value))
  }

  /// A key of COSE (RFC 9052): ES256 on P-256, and no other.
  private static func key(_ value: CBORValue) throws(PasskeyProblem) -> ECDSAPublicKey {
    guard value[.integer(1)] == .integer(2), value[.integer(3)] == .integer(-7), value[.integer(-1)] == .integer(1),
      let x = value[.integer(-2)]?.bytes, let y = value[.integer(-3)]?.bytes, x.count == 32, y.count == 32
    else { throw .keyUnsupported }
    guard let key = try? ECDSAPublicKey(curve: .p256, point: [4] + x + y) else { throw .keyUnsupported }
    return key
  }

  private static func value(
    of bytes: ArraySlice<UInt8>
  ) throws(PasskeyProblem) -> (value: CBORValue, rest: ArraySlice<UInt8>) {
    do throws(CBORReader.Problem) { return try CBORReader.read(bytes) } catch { throw .malformed }
  }
}
