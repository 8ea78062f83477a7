import COpenSSL

/// An integer of OpenSSL, for the arithmetic of keys and signatures. It exists within one call and is wiped at the
/// end.
struct BigNumber: ~Copyable {
  let pointer: OpaquePointer

  init() { pointer = required(BN_new()) }

  /// A number from its bytes, most significant first.
  init(_ bytes: [UInt8]) {
    pointer = bytes.withUnsafeBytes { Self.number($0) }
  }

  /// A secret number.
  init(_ secret: Secret) {
    pointer = secret.withBytes { Self.number($0) }
  }

  private static func number(_ bytes: UnsafeRawBufferPointer) -> OpaquePointer {
    let address = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
    let number = required(BN_bin2bn(address, Int32(bytes.count), nil))
    BN_set_flags(number, BN_FLG_CONSTTIME)
    return number
  }

  deinit { BN_clear_free(pointer) }

  /// The bytes, most significant first, with leading zeros up to `count`.
  func bytes(count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { output, written in
      precondition(BN_bn2binpad(pointer, output.baseAddress, Int32(count)) == count)
      written = count
    }
  }

  /// Whether it is at least 1 and below the bound; a private key must be below its curve's order.
  func isPositive(below bound: OpaquePointer) -> Bool {
    BN_is_zero(pointer) == 0 && BN_cmp(pointer, bound) < 0
  }
}

/// A curve with the objects for computing on it. It exists within one call.
struct CurveArithmetic: ~Copyable {
  let group: OpaquePointer
  let scratch: OpaquePointer

  init(_ curve: EllipticCurve) {
    group = required(EC_GROUP_new_by_curve_name(curve.numericIdentifier))
    scratch = required(BN_CTX_new())
  }

  deinit {
    EC_GROUP_free(group)
    BN_CTX_free(scratch)
  }

  /// The number of points; private keys are below it.
  var order: OpaquePointer { required(EC_GROUP_get0_order(group)) }

  /// The curve's base point multiplied by a number, uncompressed: 4, x, y.
  func point(_ number: borrowing BigNumber, _ curve: EllipticCurve) -> [UInt8] {
    let point = required(EC_POINT_new(group))
    defer { EC_POINT_clear_free(point) }
    ensure(EC_POINT_mul(group, point, number.pointer, nil, nil, scratch))
    let length = 1 + 2 * curve.byteCount
    return [UInt8](unsafeUninitializedCapacity: length) { output, count in
      count = EC_POINT_point2oct(
        group, point, POINT_CONVERSION_UNCOMPRESSED, output.baseAddress, length, scratch)
      precondition(count == length)
    }
  }
}
