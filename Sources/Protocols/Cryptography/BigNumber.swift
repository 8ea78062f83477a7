import COpenSSL

/// An integer of OpenSSL, for the arithmetic of keys and signatures. It exists within one call and is wiped at the
/// end.
package struct BigNumber: ~Copyable {
  let pointer: OpaquePointer

  private init() { pointer = required(BN_new()) }

  /// A number from its bytes, most significant first.
  package init(_ bytes: [UInt8]) {
    pointer = bytes.withUnsafeBytes { Self.number($0) }
  }

  init(_ secret: Secret) {
    pointer = secret.withBytes { Self.number($0) }
  }

  /// A copy of a number that belongs to another object.
  init(copying number: OpaquePointer) { pointer = required(BN_dup(number)) }

  private static func number(_ bytes: UnsafeRawBufferPointer) -> OpaquePointer {
    let address = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
    let number = required(BN_bin2bn(address, Int32(bytes.count), nil))
    BN_set_flags(number, BN_FLG_CONSTTIME)
    return number
  }

  deinit { BN_clear_free(pointer) }

  /// The bytes, most significant first, with leading zeros up to `count`.
  package func bytes(count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { output, written in
      precondition(BN_bn2binpad(pointer, output.baseAddress, Int32(count)) == count)
      written = count
    }
  }

  /// Whether it is at least 1 and below the bound; a private key must be below its curve's order.
  package func isPositive(below bound: borrowing BigNumber) -> Bool {
    BN_is_zero(pointer) == 0 && BN_cmp(pointer, bound.pointer) < 0
  }

  package var isZero: Bool { BN_is_zero(pointer) == 1 }
  package var isOne: Bool { BN_is_one(pointer) == 1 }

  /// Whether it is a prime number, with a probability of error below 2⁻¹²⁸.
  package var isPrime: Bool { BN_check_prime(pointer, nil, nil) == 1 }

  /// Adds a small number to this one.
  package mutating func add(_ word: UInt) { ensure(BN_add_word(pointer, word)) }

  package func subtracting(_ other: borrowing BigNumber) -> BigNumber {
    let result = BigNumber()
    ensure(BN_sub(result.pointer, pointer, other.pointer))
    return result
  }

  package func multiplied(by other: borrowing BigNumber) -> BigNumber {
    let result = BigNumber()
    let scratch = Scratch()
    ensure(BN_mul(result.pointer, pointer, other.pointer, scratch.pointer))
    return result
  }

  /// The non-negative remainder of a division.
  package func remainder(dividingBy divisor: borrowing BigNumber) -> BigNumber {
    let result = BigNumber()
    let scratch = Scratch()
    ensure(BN_nnmod(result.pointer, pointer, divisor.pointer, scratch.pointer))
    return result
  }

  package func adding(_ other: borrowing BigNumber, modulo modulus: borrowing BigNumber) -> BigNumber {
    let result = BigNumber()
    let scratch = Scratch()
    ensure(BN_mod_add(result.pointer, pointer, other.pointer, modulus.pointer, scratch.pointer))
    return result
  }

  package func multiplied(by other: borrowing BigNumber, modulo modulus: borrowing BigNumber) -> BigNumber {
    let result = BigNumber()
    let scratch = Scratch()
    ensure(BN_mod_mul(result.pointer, pointer, other.pointer, modulus.pointer, scratch.pointer))
    return result
  }

  /// The number that gives 1 in a multiplication with this one. Both must have no common factor.
  package func inverse(modulo modulus: borrowing BigNumber) -> BigNumber {
    let result = BigNumber()
    let scratch = Scratch()
    _ = required(BN_mod_inverse(result.pointer, pointer, modulus.pointer, scratch.pointer))
    return result
  }

  /// OpenSSL's memory for the intermediate results of one calculation.
  struct Scratch: ~Copyable {
    let pointer = required(BN_CTX_new())

    deinit { BN_CTX_free(pointer) }
  }
}
