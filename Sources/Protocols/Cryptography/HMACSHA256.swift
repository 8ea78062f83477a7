import COpenSSL

/// HMAC with SHA-256 (RFC 2104): for tokens and webhooks with a shared secret.
package enum HMACSHA256 {
  /// The 32 bytes of the code.
  package static func code(for message: some Sequence<UInt8>, key: Secret) -> [UInt8] {
    withBytes(of: message) { message in key.withBytes { code(for: message, key: $0) } }
  }

  /// Whether a code is the one of this message; a wrong code takes the same time as the right one.
  package static func isValid(
    _ code: some Sequence<UInt8>, for message: some Sequence<UInt8>, key: Secret
  ) -> Bool {
    ConstantTime.isEqual(self.code(for: message, key: key), Array(code))
  }

  static func code(for message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) -> [UInt8] {
    DigestFunction.sha256.messageAuthenticationCode(message, key: key)
  }
}

extension DigestFunction {
  /// The HMAC of a message with this digest.
  package func messageAuthenticationCode(
    _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer
  ) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
      let made = HMAC(
        handle.pointer, key.baseAddress, Int32(key.count),
        message.assumingMemoryBound(to: UInt8.self).baseAddress, message.count, output.baseAddress, nil)
      _ = required(made)
      count = byteCount
    }
  }
}

/// Comparison with a duration that does not show where two values differ.
package enum ConstantTime {
  /// Whether both have the same bytes. Their lengths are not secret.
  package static func isEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.withUnsafeBytes { a in b.withUnsafeBytes { b in isEqual(a, b) } }
  }

  static func isEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    a.count == b.count && (a.isEmpty || CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0)
  }
}
