import COpenSSL

/// SHA-1 (FIPS 180-4): broken for signatures, kept for the checksum that WeChat Pay publishes for its bill files.
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
