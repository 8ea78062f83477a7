import Cryptography

/// RSA keys and key files of any kind: what is read gives the same bytes again, and signs.
func fuzzRSAKey(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  if let key = try? RSAPublicKey(file: bytes) {
    precondition((try? RSAPublicKey(spki: key.spki)) == key)
    precondition(!key.isValid([UInt8](repeating: 1, count: 256), for: bytes))
    _ = key.encryptOAEP(Array(bytes.prefix(100)))
  }
  if let key = try? RSAPrivateKey(file: Secret(bytes)) {
    precondition((try? RSAPrivateKey(der: key.pkcs8))?.publicKey == key.publicKey)
    precondition(key.publicKey.isValid(key.signature(for: bytes), for: bytes))
  }
  return 0
}
