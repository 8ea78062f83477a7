// The objects of OpenSSL that outlive one call, each owned by one small class. This is the only file of the module
// that claims `Sendable` without a check by the compiler; each class states the reason.
import COpenSSL

/// A key. OpenSSL counts references to it atomically and documents concurrent use as safe while no thread changes it
/// (openssl-threads(7)). Nothing here changes a key after its creation.
final class KeyHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes ownership of a key from the caller.
  init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { EVP_PKEY_free(pointer) }
}

/// A parsed certificate. After `init` it is only read; OpenSSL protects its lazily computed fields with its own lock.
final class CertificateHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes ownership of a certificate from the caller.
  init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { X509_free(pointer) }
}

/// A digest implementation of a provider, looked up once: OpenSSL 3 takes about a microsecond for each look-up. It is
/// a table of functions that never changes.
final class DigestHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  init(_ name: StaticString) {
    let found = name.withUTF8Buffer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { EVP_MD_fetch(nil, $0.baseAddress, nil) }
    }
    guard let found else { preconditionFailure("this OpenSSL has no \(name)") }
    pointer = found
  }

  deinit { EVP_MD_free(pointer) }
}

/// A cipher implementation of a provider, looked up once, like a digest.
final class CipherHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  init(_ name: StaticString) {
    let found = name.withUTF8Buffer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { EVP_CIPHER_fetch(nil, $0.baseAddress, nil) }
    }
    guard let found else { preconditionFailure("this OpenSSL has no \(name)") }
    pointer = found
  }

  deinit { EVP_CIPHER_free(pointer) }
}

/// The contexts of one verification. They change during use: `PrefixedSignatureVerifier` gives each to one thread at a
/// time and holds the only reference.
final class VerificationContext: @unchecked Sendable {
  /// The digest of the texts' common prefix; only ever copied.
  let beginning: OpaquePointer
  /// The digest of the current text.
  let digest: OpaquePointer
  /// A verification with one key, ready for any number of signatures.
  let verification: OpaquePointer
  /// The same with a table of the key's multiples, once there is one.
  var calculation: KeyCalculation?

  init(key: KeyHandle, beginning text: UnsafeRawBufferPointer) {
    beginning = required(EVP_MD_CTX_new())
    digest = required(EVP_MD_CTX_new())
    verification = required(EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil))
    ensure(EVP_DigestInit_ex(beginning, DigestFunction.sha256.handle.pointer, nil))
    ensure(EVP_DigestUpdate(beginning, text.baseAddress, text.count))
    ensure(EVP_PKEY_verify_init(verification))
  }

  deinit {
    EVP_MD_CTX_free(beginning)
    EVP_MD_CTX_free(digest)
    EVP_PKEY_CTX_free(verification)
  }
}

/// The points of P-256 that verifications of one key multiply, with a table of multiples for each. After `init` they
/// are only read; OpenSSL's tables never change.
package final class KeyMultiples: @unchecked Sendable {
  /// P-256 with its own base point.
  let curve: OpaquePointer
  /// P-256 with the key in place of its base point.
  let key: OpaquePointer
  /// The order of the curve for multiplications by Montgomery's method, and the order less 2: to the power of that, a
  /// number becomes its inverse (Fermat), faster than by `BN_mod_inverse`.
  let (order, inverting): (OpaquePointer, OpaquePointer)

  /// Nil unless the point is one of P-256.
  init?(of point: [UInt8]) {
    curve = required(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1))
    key = required(EC_GROUP_dup(curve))
    order = required(BN_MONT_CTX_new())
    inverting = required(BN_dup(EC_GROUP_get0_order(curve)))
    let scratch = BigNumber.Scratch()
    ensure(BN_MONT_CTX_set(order, inverting, scratch.pointer))
    ensure(BN_sub_word(inverting, 2))
    let read = required(EC_POINT_new(curve))
    defer { EC_POINT_free(read) }
    guard EC_POINT_oct2point(curve, read, point, point.count, scratch.pointer) == 1,
      EC_POINT_is_at_infinity(curve, read) == 0
    else {
      ERR_clear_error()
      return nil
    }
    ensure(EC_GROUP_set_generator(key, read, EC_GROUP_get0_order(curve), BN_value_one()))
    counterfoil_prepare_multiples(key, scratch.pointer)
  }

  deinit {
    EC_GROUP_free(curve)
    EC_GROUP_free(key)
    BN_MONT_CTX_free(order)
    BN_free(inverting)
  }
}

/// The numbers and points of one calculation. They change during use: a `VerificationContext` holds the only reference.
final class KeyCalculation: @unchecked Sendable {
  let multiples: KeyMultiples
  let (r, s, digest, inverse, x) = (BN_new(), BN_new(), BN_new(), BN_new(), BN_new())
  let (sum, ofKey): (OpaquePointer, OpaquePointer)
  let scratch = required(BN_CTX_new())

  init(_ multiples: KeyMultiples) {
    self.multiples = multiples
    sum = required(EC_POINT_new(multiples.curve))
    ofKey = required(EC_POINT_new(multiples.key))
  }

  deinit {
    for number in [r, s, digest, inverse, x] { BN_free(number) }
    EC_POINT_free(sum)
    EC_POINT_free(ofKey)
    BN_CTX_free(scratch)
  }
}

/// One verification with an RSA key over SHA-256. It changes during use: `RepeatedRSAVerification` requires one thread
/// at a time and holds the only reference.
final class RSAVerificationContext: @unchecked Sendable {
  let pointer: OpaquePointer

  init(_ key: KeyHandle) {
    pointer = required(EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil))
    ensure(EVP_PKEY_verify_init(pointer))
    ensure(EVP_PKEY_CTX_set_rsa_padding(pointer, RSA_PKCS1_PADDING))
    ensure(EVP_PKEY_CTX_set_signature_md(pointer, DigestFunction.sha256.handle.pointer))
  }

  deinit { EVP_PKEY_CTX_free(pointer) }
}

/// Bytes that are overwritten before their memory is freed. They never change between `init` and `deinit`.
final class SecretStorage: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer
  private let memory: UnsafeMutableRawBufferPointer

  init(_ source: UnsafeRawBufferPointer) {
    memory = .allocate(byteCount: source.count, alignment: 1)
    memory.copyMemory(from: source)
    bytes = UnsafeRawBufferPointer(memory)
  }

  deinit {
    OPENSSL_cleanse(memory.baseAddress, memory.count)
    memory.deallocate()
  }
}

/// Unwraps an OpenSSL object; its creation fails only when memory is exhausted.
func required<Object>(_ object: Object?) -> Object {
  guard let object else { preconditionFailure("OpenSSL has no memory left") }
  return object
}

/// Requires the success of a step that fails only when memory is exhausted or by an error in our code, never by
/// untrusted input.
func ensure(_ result: Int32) {
  precondition(result > 0, "OpenSSL refused a step that depends on no foreign input")
}
