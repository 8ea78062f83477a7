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
  private let multiples = Mutex(Multiples())
  private let tableAfter: Int

  /// A table of the key's multiples.
  private struct Multiples {
    /// Verifications without it so far.
    var usesBefore = 0
    var table: KeyMultiples?
  }

  /// Bound on the kept contexts. Further concurrent threads create their own, which costs a few microseconds.
  private static let idleMax = 64

  /// A verifier for SHA-256 with ECDSA by this key, over this prefix.
  ///
  /// - Parameter tableAfter: after so many verifications a key of P-256 gets a table of its multiples, which makes each
  ///   further one twice as fast. It takes 15 ms to make, as much as 700 verifications save, and 150 kB.
  package init(key: ECDSAPublicKey, beginning: [UInt8], tableAfter: Int = 500) {
    self.key = key
    self.beginning = beginning
    self.tableAfter = tableAfter
  }

  /// Whether the signature, r and s side by side, is for the prefix followed by the rest.
  package func isValid(_ raw: UnsafeRawBufferPointer, forRest rest: UnsafeRawBufferPointer) -> Bool {
    guard raw.count == 2 * key.curve.byteCount else { return false }
    let context =
      idle.withLock { $0.popLast() }
      ?? beginning.withUnsafeBytes { VerificationContext(key: key.handle, beginning: $0) }
    if context.calculation == nil, let table { context.calculation = KeyCalculation(table) }
    let isValid = context.isValid(raw, forRest: rest)
    idle.withLock { if $0.count < Self.idleMax { $0.append(context) } }
    return isValid
  }

  /// The table, if there have been enough verifications. The one that is due makes it; meanwhile others go on without.
  private var table: KeyMultiples? {
    guard key.curve == .p256 else { return nil }
    let (found, isDue) = multiples.withLock { state in
      if state.table == nil { state.usesBefore += 1 }
      return (state.table, state.usesBefore == tableAfter + 1)
    }
    guard found == nil, isDue, let made = KeyMultiples(of: key) else { return found }
    multiples.withLock { $0.table = made }
    return made
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
      if let calculation { return calculation.isValid(raw, forDigest: hash) }
      let signature = UnsafeMutableRawBufferPointer(rebasing: room[32...])
      let length = ECDSASignature.writeDER(raw, to: signature)
      let result = EVP_PKEY_verify(verification, signature.baseAddress, length, hash, 32)
      if result != 1 { ERR_clear_error() }
      return result == 1
    }
  }
}
