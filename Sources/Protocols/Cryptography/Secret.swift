/// Confidential bytes: a key, a shared secret.
///
/// They cannot be printed, interpolated, reflected or encoded, so no log line, error or dump shows them by accident;
/// `SecretTests` test each of these. The memory is overwritten when the last copy is released. Code that needs the
/// bytes calls `withBytes`.
package struct Secret: Sendable {
  private let storage: SecretStorage

  /// A secret with a copy of these bytes. The caller is responsible for erasing its own copy.
  package init(_ bytes: some Sequence<UInt8>) {
    storage = Cryptography.withBytes(of: bytes) { SecretStorage($0) }
  }

  /// The number of bytes, which is not secret.
  package var count: Int { storage.bytes.count }

  /// Gives access to the bytes during a call; they must not leave it.
  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try withExtendedLifetime(storage) { try body(storage.bytes) }
  }
}

extension Secret: Equatable {
  /// Compares in a time that does not show where they differ.
  package static func == (a: Secret, b: Secret) -> Bool {
    a.withBytes { a in b.withBytes { b in ConstantTime.isEqual(a, b) } }
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(secret)" }
  package var debugDescription: String { "(secret)" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
