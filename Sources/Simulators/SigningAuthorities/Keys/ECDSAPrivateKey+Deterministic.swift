package import Cryptography

extension ECDSAPrivateKey {
  /// Signs a message without randomness (RFC 6979): the same key and message always give the same signature.
  ///
  /// One seed must give one trace; OpenSSL 3.0 cannot do it. Production keys use `signature(for:)`, with arithmetic
  /// that is hardened against other processes on the same machine.
  package func deterministicSignature(
    for message: some Sequence<UInt8>, digest: DigestFunction? = nil
  ) -> ECDSASignature {
    let function = digest ?? curve.digest
    let arithmetic = CurveArithmetic(curve)
    // The message as a number: the leftmost bytes of its digest. The orders of both curves have whole bytes.
    let message = BigNumber(Array(function.hash(message).prefix(curve.byteCount)))
      .remainder(dividingBy: arithmetic.order)
    let key = scalar.withBytes { Array($0) }
    var nonces = NonceGenerator(
      function, key: key, message: message.bytes(count: curve.byteCount), length: curve.byteCount)
    let privateNumber = BigNumber(key)
    while true {
      let nonce = BigNumber(nonces.next())
      guard nonce.isPositive(below: arithmetic.order) else { continue }
      let r = BigNumber(Array(arithmetic.point(nonce)[1...curve.byteCount])).remainder(dividingBy: arithmetic.order)
      let s = r.multiplied(by: privateNumber, modulo: arithmetic.order).adding(message, modulo: arithmetic.order)
        .multiplied(by: nonce.inverse(modulo: arithmetic.order), modulo: arithmetic.order)
      let raw = r.bytes(count: curve.byteCount) + s.bytes(count: curve.byteCount)
      if !r.isZero, !s.isZero, let signature = ECDSASignature(raw: raw, curve: curve) { return signature }
    }
  }
}

/// The numbers that RFC 6979 §3.2 derives from key and message, one candidate after the other.
private struct NonceGenerator {
  private let function: DigestFunction
  private let length: Int
  private var key: [UInt8]
  private var value: [UInt8]
  private var isFirst = true

  init(_ function: DigestFunction, key privateKey: [UInt8], message: [UInt8], length: Int) {
    self.function = function
    self.length = length
    value = [UInt8](repeating: 1, count: function.byteCount)
    key = [UInt8](repeating: 0, count: function.byteCount)
    for step: UInt8 in [0, 1] {
      key = code(value + [step] + privateKey + message)
      value = code(value)
    }
  }

  mutating func next() -> [UInt8] {
    if !isFirst {
      key = code(value + [0])
      value = code(value)
    }
    isFirst = false
    var candidate: [UInt8] = []
    while candidate.count < length {
      value = code(value)
      candidate += value
    }
    return Array(candidate.prefix(length))
  }

  private func code(_ message: [UInt8]) -> [UInt8] {
    message.withUnsafeBytes { message in
      key.withUnsafeBytes { function.messageAuthenticationCode(message, key: $0) }
    }
  }
}
