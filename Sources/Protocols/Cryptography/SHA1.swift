import COpenSSL

/// SHA-1 (FIPS 180-4): broken for signatures, kept for the checksum that WeChat Pay publishes for its bill files, and
/// for one-time codes.
package enum SHA1 {
  /// The 20 bytes of the digest.
  package static func hash(_ message: some Sequence<UInt8>) -> [UInt8] {
    withBytes(of: message) { message in
      [UInt8](unsafeUninitializedCapacity: 20) { output, count in
        ensure(EVP_Digest(message.baseAddress, message.count, output.baseAddress, nil, handle.pointer, nil))
        count = 20
      }
    }
  }

  static let handle = DigestHandle("SHA1")
}

/// HMAC with SHA-1 (RFC 2104), for which collisions of SHA-1 are no danger: most apps for one-time codes (RFC 6238)
/// know no other digest.
package enum HMACSHA1 {
  /// The 20 bytes of the code.
  package static func code(for message: some Sequence<UInt8>, key: Secret) -> [UInt8] {
    withBytes(of: message) { message in
      key.withBytes { key in
        [UInt8](unsafeUninitializedCapacity: 20) { output, count in
          let made = HMAC(
            SHA1.handle.pointer, key.baseAddress, Int32(key.count),
            message.assumingMemoryBound(to: UInt8.self).baseAddress, message.count, output.baseAddress, nil)
          _ = required(made)
          count = 20
        }
      }
    }
  }
}
