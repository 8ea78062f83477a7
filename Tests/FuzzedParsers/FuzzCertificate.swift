import Cryptography

/// A certificate that is read is read from exactly its bytes; reading PEM never traps.
func fuzzCertificate(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  if let certificate = try? X509Certificate(der: bytes) {
    precondition(certificate.der == bytes)
    precondition(Set(certificate.extensions.map(\.identifier)).count == certificate.extensions.count)
    _ = certificate.isSigned(by: certificate)
  }
  _ = try? X509Certificate.certificates(inFile: bytes)
  _ = try? PEM.blocks(in: bytes)
  return 0
}
