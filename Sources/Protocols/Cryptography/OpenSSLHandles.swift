// The objects of OpenSSL that outlive one call, each owned by one small class. This is the only file of the module that
// claims `Sendable` for what the compiler cannot check; why that is right stands at each class.
import COpenSSL

/// A key. OpenSSL counts references to it atomically and documents concurrent use as safe while nobody changes it
/// (openssl-threads(7)); nothing here changes a key once it is made.
final class KeyHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes over a key that the caller owns.
  init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { EVP_PKEY_free(pointer) }
}

/// A parsed certificate. It is only read after `init`; what OpenSSL computes late in it, it computes under its own
/// lock.
final class CertificateHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes over a certificate that the caller owns.
  init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { X509_free(pointer) }
}

/// A digest as a provider implements it, looked up once: OpenSSL 3 takes about a microsecond for each look-up. A
/// table of functions that never changes.
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

/// A cipher as a provider implements it, looked up once, like a digest.
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

/// The contexts of one verification. They change in use: `PrefixedSignatureVerifier` hands each to one thread at a
/// time and is the only one to hold them.
final class VerificationContext: @unchecked Sendable {
  /// The digest of the texts' common beginning; only ever copied.
  let beginning: OpaquePointer
  /// The digest of the text at hand.
  let digest: OpaquePointer
  /// A verification by one key, ready for any number of signatures.
  let verification: OpaquePointer

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

/// One verification by an RSA key over SHA-256. It changes in use: `RepeatedRSAVerification` asks for one thread at a
/// time and is the only one to hold it.
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

/// Bytes that are overwritten before their memory is given back. They never change between `init` and `deinit`.
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

/// A state that one thread at a time may touch, behind a lock of OpenSSL's. For short sections without any `await`.
///
/// Not `Synchronization.Mutex`: where two threads meet at that one, the thread sanitizer does not see on Linux that one
/// waits for the other, and reports whatever lies behind it as a race. This one it knows, and so it can find real ones.
///
/// The state is touched nowhere but in `withLock`; what leaves it there are values or classes that are `Sendable`.
package final class Guarded<State>: @unchecked Sendable {
  private let lock: UnsafeMutableRawPointer
  private var state: State

  /// A state, to be touched through `withLock` from now on.
  package init(_ state: sending State) {
    lock = required(CRYPTO_THREAD_lock_new())
    self.state = state
  }

  deinit { CRYPTO_THREAD_lock_free(lock) }

  /// Lets one caller at a time look at the state and change it.
  package func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    ensure(CRYPTO_THREAD_write_lock(lock))
    defer { CRYPTO_THREAD_unlock(lock) }
    return body(&state)
  }
}

/// An object that OpenSSL can refuse to make only for want of memory.
func required<Object>(_ object: Object?) -> Object {
  guard let object else { preconditionFailure("OpenSSL has no memory left") }
  return object
}

/// Success of a step that can fail only for want of memory or by a mistake of ours, never by foreign input.
func ensure(_ result: Int32) {
  precondition(result > 0, "OpenSSL refused a step that depends on no foreign input")
}
