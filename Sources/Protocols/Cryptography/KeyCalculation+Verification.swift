import COpenSSL

extension KeyMultiples {
  /// The multiples of a key; nil unless it lies on P-256.
  package convenience init?(of key: ECDSAPublicKey) {
    guard key.curve == .p256 else { return nil }
    self.init(of: key.point)
  }

  /// Whether the signature is for a message with this digest of 32 bytes.
  package func isValid(_ signature: ECDSASignature, forDigest digest: [UInt8]) -> Bool {
    guard digest.count == 32 else { return false }
    return signature.raw.withUnsafeBytes { raw in
      digest.withUnsafeBytes { digest in
        digest.baseAddress.map { KeyCalculation(self).isValid(raw, forDigest: $0) } ?? false
      }
    }
  }
}

extension KeyCalculation {
  /// Whether r and s, 32 bytes each, are a signature of a digest of 32 bytes (FIPS 186-5, section 6.4.2).
  ///
  /// OpenSSL's own verification has a table of multiples only for the base point of the curve. With one for the key
  /// too, a verification takes half the time. All arithmetic is OpenSSL's.
  func isValid(_ raw: UnsafeRawBufferPointer, forDigest hash: UnsafeRawPointer) -> Bool {
    guard raw.count == 64, let bytes = raw.baseAddress else { return false }
    read(bytes, into: r)
    read(bytes + 32, into: s)
    read(hash, into: digest)
    let order = EC_GROUP_get0_order(multiples.curve)
    guard isInRange(r, below: order), isInRange(s, below: order) else { return false }
    ensure(BN_mod_exp_mont(inverse, s, multiples.inverting, order, scratch, multiples.order))
    // digest / s times the base point, and r / s times the key.
    ensure(BN_mod_mul(digest, digest, inverse, order, scratch))
    ensure(BN_mod_mul(inverse, r, inverse, order, scratch))
    ensure(EC_POINT_mul(multiples.curve, sum, digest, nil, nil, scratch))
    ensure(EC_POINT_mul(multiples.key, ofKey, inverse, nil, nil, scratch))
    ensure(EC_POINT_add(multiples.curve, sum, sum, ofKey, scratch))
    guard EC_POINT_is_at_infinity(multiples.curve, sum) == 0 else { return false }
    ensure(EC_POINT_get_affine_coordinates(multiples.curve, sum, x, nil, scratch))
    ensure(BN_nnmod(x, x, order, scratch))
    return BN_cmp(x, r) == 0
  }

  private func read(_ bytes: UnsafeRawPointer, into number: OpaquePointer?) {
    _ = required(BN_bin2bn(bytes.assumingMemoryBound(to: UInt8.self), 32, number))
  }

  private func isInRange(_ number: OpaquePointer?, below order: OpaquePointer?) -> Bool {
    BN_is_zero(number) == 0 && BN_cmp(number, order) < 0
  }
}
