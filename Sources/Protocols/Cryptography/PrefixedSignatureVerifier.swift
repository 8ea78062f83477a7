import COpenSSL
import Synchronization

/// Verifies many signatures of one key over texts with a common prefix: tokens of one certificate chain, with the same
/// encoded header to the byte.
///
/// The common prefix (4.4 kB of a 5.2 kB Apple token) is digested once, and the OpenSSL contexts are kept. The
/// remaining cost of a verification is little more than the curve arithmetic itself. Any number of threads may use it.
package final class PrefixedSignatureVerifier: Sendable {
  private let key: ECDSAPublicKey
  private let beginning: [UInt8]
  private let idle = Mutex<[VerificationContext]>([])

  /// Bound on the kept contexts. Further concurrent threads create their own, which costs a few microseconds.
  private static let idleMax = 64

  /// A verifier for SHA-256 with ECDSA by this key, over this prefix.
  package init(key: ECDSAPublicKey, beginning: [UInt8]) {
    self.key = key
    self.beginning = beginning
  }

  /// Whether the signature, r and s side by side, is for the prefix followed by the rest.
  package func isValid(_ raw: UnsafeRawBufferPointer, forRest rest: UnsafeRawBufferPointer) -> Bool {
    guard raw.count == 2 * key.curve.byteCount else { return false }
    let context =
      idle.withLock { $0.popLast() }
      ?? beginning.withUnsafeBytes { VerificationContext(key: key.handle, beginning: $0) }
    let isValid = context.isValid(raw, forRest: rest)
    idle.withLock { if $0.count < Self.idleMax { $0.append(context) } }
    return isValid
  }

  /// The same for bytes in arrays.
  package func isValid(_ raw: [UInt8], forRest rest: some Sequence<UInt8>) -> Bool {
    raw.withUnsafeBytes { raw in withBytes(of: rest) { isValid(raw, forRest: $0) } }
  }
}

extension VerificationContext {
  fileprivate func isValid(
    _ raw: UnsafeRawBufferPointer, forRest rest: UnsafeRawBufferPointer
  ) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 32 + ECDSASignature.derBytesMax, alignment: 8) { room in
      guard let hash = room.baseAddress else { return false }
      ensure(EVP_MD_CTX_copy_ex(digest, beginning))
      ensure(EVP_DigestUpdate(digest, rest.baseAddress, rest.count))
      ensure(EVP_DigestFinal_ex(digest, hash, nil))
      let signature = UnsafeMutableRawBufferPointer(rebasing: room[32...])
      let length = ECDSASignature.writeDER(raw, to: signature)
      let result = EVP_PKEY_verify(verification, signature.baseAddress, length, hash, 32)
      if result != 1 { ERR_clear_error() }
      return result == 1
    }
  }
}
