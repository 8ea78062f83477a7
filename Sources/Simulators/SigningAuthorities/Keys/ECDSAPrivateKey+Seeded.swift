package import Cryptography

extension ECDSAPrivateKey {
  /// A key from given random bytes: the same bytes give the same key.
  ///
  /// - Parameter randomBytes: at least as many unpredictable bytes as the curve's length (32 or 48). They are hashed:
  ///   every input leads to a key, and a key does not reveal its seed.
  package init(curve: EllipticCurve, randomBytes: [UInt8]) {
    precondition(randomBytes.count >= curve.byteCount, "a key needs as many random bytes as its length")
    var attempt: UInt8 = 0
    while true {
      // A candidate at or above the order (one in 2³² on P-256) is replaced by the next one.
      let candidate = Secret(DigestFunction.sha512.hash(randomBytes + [attempt]).prefix(curve.byteCount))
      if let key = try? ECDSAPrivateKey(curve: curve, scalar: candidate) {
        self = key
        return
      }
      attempt &+= 1
    }
  }
}
