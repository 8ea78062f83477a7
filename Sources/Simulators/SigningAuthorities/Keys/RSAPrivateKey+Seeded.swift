package import Cryptography
import Synchronization

extension RSAPrivateKey {
  /// A key of 2048 bits from given random bytes: the same bytes give the same key, so that a simulation can be
  /// repeated.
  ///
  /// Two primes of 1024 bits are searched upwards from hashes of the bytes. Their two highest bits are set, so that
  /// their product has 2048 bits. It takes some tenths of a second, but only once per process for the same bytes.
  /// - Parameter randomBytes: at least 32 unpredictable bytes.
  package init(randomBytes: [UInt8]) {
    self.init(randomBytes: randomBytes, bitCount: 2048)
  }

  /// A key of 1024 bits, as for the receipts of iOS 6: too short for any use except imitating them.
  package init(shortFromRandomBytes randomBytes: [UInt8]) {
    self.init(randomBytes: randomBytes, bitCount: 1024)
  }

  private init(randomBytes: [UInt8], bitCount: Int) {
    precondition(randomBytes.count >= 32, "a key needs at least 32 random bytes")
    let origin = SeededKeys.Origin(randomBytes: randomBytes, bitCount: bitCount)
    self = SeededKeys.key(origin) ?? Self(searchedFrom: randomBytes, bitCount: bitCount)
    SeededKeys.keep(self, origin)
  }

  private init(searchedFrom randomBytes: [UInt8], bitCount: Int) {
    let primeByteCount = bitCount / 16
    let p = Self.prime(randomBytes, lot: 0, primeByteCount)
    var lot: UInt8 = 1
    var q = Self.prime(randomBytes, lot: lot, primeByteCount)
    while q == p {
      lot += 1
      q = Self.prime(randomBytes, lot: lot, primeByteCount)
    }
    let der = Self.pkcs1(max(p, q), min(p, q), primeByteCount: primeByteCount)
    do {
      try self.init(der: der, bitCounts: bitCount...bitCount)
    } catch {
      preconditionFailure("two primes made no key: \(error)")
    }
  }

  /// 65537, the usual exponent.
  private static let exponent: [UInt8] = [1, 0, 1]

  /// The first prime number p upwards from a hash for which p - 1 shares no factor with the exponent.
  private static func prime(_ seed: [UInt8], lot: UInt8, _ primeByteCount: Int) -> ComparableBytes {
    var bytes = Array((0..<2).flatMap { DigestFunction.sha512.hash(seed + [lot, $0]) }.prefix(primeByteCount))
    bytes[0] |= 0xC0
    bytes[primeByteCount - 1] |= 1
    var candidate = BigNumber(bytes)
    let exponent = BigNumber(Self.exponent)
    while true {
      // 65537 is prime: it shares a factor with p - 1 only if p - 1 is a multiple of it.
      if !candidate.remainder(dividingBy: exponent).isOne, candidate.isPrime {
        return ComparableBytes(bytes: candidate.bytes(count: primeByteCount))
      }
      candidate.add(2)
    }
  }

  /// The PKCS#1 form (RFC 8017 §A.1.2) from the two primes, the larger first.
  private static func pkcs1(_ p: ComparableBytes, _ q: ComparableBytes, primeByteCount: Int) -> Secret {
    let p = BigNumber(p.bytes)
    let q = BigNumber(q.bytes)
    let one = BigNumber([1])
    let p1 = p.subtracting(one)
    let q1 = q.subtracting(one)
    let n = p.multiplied(by: q)
    let d = BigNumber(exponent).inverse(modulo: p1.multiplied(by: q1))
    let dp = d.remainder(dividingBy: p1)
    let dq = d.remainder(dividingBy: q1)
    let qi = q.inverse(modulo: p)
    let whole = 2 * primeByteCount
    return Secret(
      DERWriter.sequence([
        DERWriter.integer([0]), DERWriter.integer(n.bytes(count: whole)), DERWriter.integer(exponent),
        DERWriter.integer(d.bytes(count: whole)), DERWriter.integer(p.bytes(count: primeByteCount)),
        DERWriter.integer(q.bytes(count: primeByteCount)), DERWriter.integer(dp.bytes(count: primeByteCount)),
        DERWriter.integer(dq.bytes(count: primeByteCount)), DERWriter.integer(qi.bytes(count: primeByteCount)),
      ]))
  }
}

/// A number as bytes, most significant first, compared at equal length.
private struct ComparableBytes: Comparable {
  let bytes: [UInt8]

  static func < (a: ComparableBytes, b: ComparableBytes) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

/// The keys that this process has made. Hundreds of simulators in one run of the tests begin with the same bytes.
private enum SeededKeys {
  struct Origin: Hashable {
    let randomBytes: [UInt8]
    let bitCount: Int
  }

  /// Enough for the keys of a run of the tests; a simulator with new bytes each time has no use for more.
  private static let keptMax = 200
  private static let kept = Mutex<[Origin: RSAPrivateKey]>([:])

  static func key(_ origin: Origin) -> RSAPrivateKey? { kept.withLock { $0[origin] } }

  static func keep(_ key: RSAPrivateKey, _ origin: Origin) {
    kept.withLock { if $0.count < keptMax { $0[origin] = key } }
  }
}
