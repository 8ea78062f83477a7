import COpenSSL

/// The digests of the SHA-2 family (FIPS 180-4) for signatures.
package enum DigestFunction: String, CaseIterable, Sendable {
  /// 32 bytes.
  case sha256
  /// 48 bytes.
  case sha384
  /// 64 bytes.
  case sha512

  /// Bytes of a digest.
  package var byteCount: Int {
    switch self {
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  package func hash(_ message: some Sequence<UInt8>) -> [UInt8] {
    withBytes(of: message) { hash($0) }
  }

  func hash(_ message: UnsafeRawBufferPointer) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
      ensure(
        EVP_Digest(message.baseAddress, message.count, output.baseAddress, nil, handle.pointer, nil))
      count = byteCount
    }
  }

  var handle: DigestHandle {
    switch self {
    case .sha256: Self.sha256Handle
    case .sha384: Self.sha384Handle
    case .sha512: Self.sha512Handle
    }
  }

  private static let sha256Handle = DigestHandle("SHA256")
  private static let sha384Handle = DigestHandle("SHA384")
  private static let sha512Handle = DigestHandle("SHA512")
}

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
  /// The 32 bytes of the digest.
  package static func hash(_ message: some Sequence<UInt8>) -> [UInt8] {
    DigestFunction.sha256.hash(message)
  }

  /// The 32 bytes of the digest of a text in UTF-8.
  package static func hash(_ text: String) -> [UInt8] { hash(text.utf8) }
}

/// SHA-384 (FIPS 180-4); Apple's device verification uses it.
package enum SHA384 {
  /// The 48 bytes of the digest.
  package static func hash(_ message: some Sequence<UInt8>) -> [UInt8] {
    DigestFunction.sha384.hash(message)
  }
}

/// Passes the bytes of a sequence as one memory area; copies only if they are not contiguous.
func withBytes<Result>(
  of sequence: some Sequence<UInt8>, _ body: (UnsafeRawBufferPointer) -> Result
) -> Result {
  if let result = sequence.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) {
    return result
  }
  return Array(sequence).withUnsafeBytes(body)
}
