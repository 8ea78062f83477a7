/// Bytes that nobody may see: a key, a shared secret.
///
/// They cannot be printed, interpolated, reflected or encoded, so no log line, error or dump shows them by accident;
/// `SecretTests` hold each of these. The memory is overwritten when the last copy is gone. Whoever needs the bytes
/// says so with `withBytes`.
package struct Secret: Sendable {
  private let storage: SecretStorage

  /// A secret of a copy of these bytes. The caller's own copy is his to forget.
  package init(_ bytes: some Sequence<UInt8>) {
    storage = Cryptography.withBytes(of: bytes) { SecretStorage($0) }
  }

  /// How many bytes it has; that is not secret.
  package var count: Int { storage.bytes.count }

  /// Lends the bytes for the time of a call; they must not leave it.
  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try withExtendedLifetime(storage) { try body(storage.bytes) }
  }
}

extension Secret: Equatable {
  /// Compares in a time that does not depend on where they differ.
  package static func == (a: Secret, b: Secret) -> Bool {
    a.withBytes { a in b.withBytes { b in ConstantTime.isEqual(a, b) } }
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(secret)" }
  package var debugDescription: String { "(secret)" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
