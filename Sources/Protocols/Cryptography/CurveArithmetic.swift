import COpenSSL

/// A curve with the objects for computing on it. It exists within one call.
package struct CurveArithmetic: ~Copyable {
  /// The number of points; private keys are below it.
  package let order: BigNumber

  private let curve: EllipticCurve
  private let group: OpaquePointer

  package init(_ curve: EllipticCurve) {
    self.curve = curve
    group = required(EC_GROUP_new_by_curve_name(curve.numericIdentifier))
    order = BigNumber(copying: required(EC_GROUP_get0_order(group)))
  }

  deinit { EC_GROUP_free(group) }

  /// The curve's base point multiplied by a number, uncompressed: 4, x, y.
  package func point(_ number: borrowing BigNumber) -> [UInt8] {
    let scratch = BigNumber.Scratch()
    let point = required(EC_POINT_new(group))
    defer { EC_POINT_clear_free(point) }
    ensure(EC_POINT_mul(group, point, number.pointer, nil, nil, scratch.pointer))
    let length = 1 + 2 * curve.byteCount
    return [UInt8](unsafeUninitializedCapacity: length) { output, count in
      count = EC_POINT_point2oct(
        group, point, POINT_CONVERSION_UNCOMPRESSED, output.baseAddress, length, scratch.pointer)
      precondition(count == length)
    }
  }
}
