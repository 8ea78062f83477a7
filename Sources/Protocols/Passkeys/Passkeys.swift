/// Passkeys, as browsers make and use them (Web Authentication, level 2), with user verification and ES256.
package enum Passkeys {
  /// The longest id of a credential, in bytes (Web Authentication, section 6.5.1).
  package static let credentialBytesMax = 1023
  /// A browser's own statement has about 150 bytes.
  package static let clientDataBytesMax = 2048
}

/// Why a passkey is not taken. The word stands in the audit log; the caller learns no difference.
package enum PasskeyProblem: String, Error, Hashable, CaseIterable, Sendable {
  case tooLarge = "passkey_too_large"
  case malformed = "passkey_malformed"
  /// It answers to another question: another kind, challenge, origin or host.
  case notAsked = "passkey_not_asked"
  /// The authenticator has not seen who is there.
  case userUnverified = "passkey_user_unverified"
  case keyUnsupported = "passkey_key_unsupported"
  case signatureInvalid = "passkey_signature_invalid"
}

/// What a browser was asked for.
package struct PasskeyQuestion: Hashable, Sendable {
  package let challenge: [UInt8]
  /// The origin of the console's pages: `https://console.example.com`.
  package let origin: String

  package init(challenge: [UInt8], origin: String) {
    self.challenge = challenge
    self.origin = origin
  }

  /// The host of the origin, to which authenticators bind their keys.
  package var relyingParty: String {
    let host = origin.drop { $0 != "/" }.drop { $0 == "/" }
    return String(host.prefix { $0 != ":" })
  }
}
