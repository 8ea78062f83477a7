package import PaymentPrimitives

/// A key in an operator's device, with which they sign in.
package struct Passkey: Hashable, Sendable {
  /// An operator has a laptop, a phone and a spare key.
  package static let perAccountMax = 20
  /// The longest label, in bytes.
  package static let labelBytesMax = 64

  /// The id of the credential, in Base64URL.
  package let credential: String
  package let account: OperatorName
  /// The point on P-256: 4, x, y.
  package let publicKey: [UInt8]
  /// Where the operator keeps it.
  package let label: String
  package let createdAt: Timestamp
  /// The number of uses that the device has told last; it never falls.
  package var signCount: Int64
  package var usedAt: Timestamp?
  /// From then on no one can sign in with it.
  package var removedAt: Timestamp?

  package init(
    credential: String, account: OperatorName, publicKey: [UInt8], label: String, createdAt: Timestamp,
    signCount: Int64
  ) {
    self.credential = credential
    self.account = account
    self.publicKey = publicKey
    self.label = label
    self.createdAt = createdAt
    self.signCount = signCount
  }

  /// Whether a device may state this number of uses next. Devices that do not count always state 0.
  package func mayCount(_ next: Int64) -> Bool { next > signCount || (next == 0 && signCount == 0) }
}
