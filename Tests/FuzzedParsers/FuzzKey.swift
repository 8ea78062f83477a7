import Cryptography

/// Keys and signatures that are read give the same bytes again.
func fuzzKey(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  if let key = try? ECDSAPublicKey(spki: bytes) { precondition(key.spki == bytes) }
  for curve in EllipticCurve.allCases {
    if let key = try? ECDSAPublicKey(curve: curve, point: bytes) { precondition(key.point == bytes) }
    if let signature = try? ECDSASignature(der: bytes, curve: curve) { precondition(signature.der == bytes) }
  }
  if let key = try? ECDSAPrivateKey(der: Secret(bytes)) {
    let again = try? ECDSAPrivateKey(der: key.pkcs8)
    precondition(again?.publicKey == key.publicKey)
  }
  _ = try? ECDSAPrivateKey(pem: Secret(bytes))
  return 0
}
