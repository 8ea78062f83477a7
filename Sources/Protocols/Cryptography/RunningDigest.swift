import COpenSSL

/// The digest of a message that is read piece by piece, such as a large file. One task uses it.
package final class RunningDigest {
  private let context: OpaquePointer
  private let function: DigestFunction

  package init(_ function: DigestFunction) {
    context = required(EVP_MD_CTX_new())
    self.function = function
    ensure(EVP_DigestInit_ex(context, function.handle.pointer, nil))
  }

  deinit { EVP_MD_CTX_free(context) }

  package func add(_ bytes: some Sequence<UInt8>) {
    withBytes(of: bytes) { ensure(EVP_DigestUpdate(context, $0.baseAddress, $0.count)) }
  }

  /// The digest of everything that was added. Nothing can be added afterwards.
  package func finish() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: function.byteCount) { output, count in
      ensure(EVP_DigestFinal_ex(context, output.baseAddress, nil))
      count = function.byteCount
    }
  }
}
