import COpenSSL
import PaymentPrimitives

/// The kind of a key file, so that an error can name the wrong kind of file instead of "malformed".
enum KeyFile {
  case privateKey(Secret)
  case ellipticPrivateKey(Secret)
  case encryptedPrivateKey
  case subjectPublicKey([UInt8])
  case rsaPublicKey([UInt8])
  case certificate
  case container

  /// Detects PEM and DER.
  ///
  /// - Throws: `malformedPEM` when it is neither, `malformedKey` when it contains several keys.
  init(_ file: [UInt8]) throws(CodedError<CryptographyErrorCode>) {
    guard file.count <= PEM.bytesMax else {
      throw CodedError(.malformedPEM, "It is larger than \(PEM.bytesMax) bytes.")
    }
    // The first byte of DER is that of a sequence; no text starts with it.
    self = file.first == 0x30 ? Self.der(file) : try Self.pem(file)
  }

  private static func der(_ file: [UInt8]) -> KeyFile {
    defer { ERR_clear_error() }
    return file.withUnsafeBufferPointer { bytes in
      var position = bytes.baseAddress
      if let container = d2i_PKCS12(nil, &position, bytes.count) {
        PKCS12_free(container)
        return .container
      }
      position = bytes.baseAddress
      if let certificate = d2i_X509(nil, &position, bytes.count) {
        X509_free(certificate)
        return .certificate
      }
      position = bytes.baseAddress
      if let key = d2i_PUBKEY(nil, &position, bytes.count) {
        EVP_PKEY_free(key)
        return .subjectPublicKey(file)
      }
      position = bytes.baseAddress
      if let locked = d2i_X509_SIG(nil, &position, bytes.count) {
        X509_SIG_free(locked)
        return .encryptedPrivateKey
      }
      return .privateKey(Secret(file))
    }
  }

  private static func pem(_ file: [UInt8]) throws(CodedError<CryptographyErrorCode>) -> KeyFile {
    // The old form of an encrypted key says so in header lines within its block, which are not Base64.
    if file.contains("Proc-Type: 4,ENCRYPTED") { return .encryptedPrivateKey }
    let blocks = try PEM.blocks(in: PEM.withLineBreaks(file))
    if blocks.contains(where: { $0.label == "ENCRYPTED PRIVATE KEY" }) { return .encryptedPrivateKey }
    let privateKeys = blocks.filter { $0.label == "PRIVATE KEY" || $0.label == "RSA PRIVATE KEY" }
    guard privateKeys.count <= 1 else {
      throw CodedError(.malformedKey, "The text holds \(privateKeys.count) private keys instead of one.")
    }
    if let key = privateKeys.first { return .privateKey(key.bytes) }
    if let key = blocks.first(where: { $0.label == "EC PRIVATE KEY" }) { return .ellipticPrivateKey(key.bytes) }
    let publicKeys = blocks.filter { $0.label == "PUBLIC KEY" || $0.label == "RSA PUBLIC KEY" }
    guard publicKeys.count <= 1 else {
      throw CodedError(.malformedKey, "The text holds \(publicKeys.count) public keys instead of one.")
    }
    if let key = publicKeys.first {
      let bytes = key.bytes.withBytes { Array($0) }
      return key.label == "PUBLIC KEY" ? .subjectPublicKey(bytes) : .rsaPublicKey(bytes)
    }
    if blocks.contains(where: { $0.label.hasSuffix("CERTIFICATE") }) { return .certificate }
    throw CodedError(.malformedPEM, "It holds no key between a BEGIN line and an END line.")
  }
}

extension PEM {
  /// Restores the line breaks of a PEM text if they are missing, or written as a backslash and an n. Environment
  /// variables often change keys in this way.
  static func withLineBreaks(_ text: [UInt8]) -> [UInt8] {
    let dashes = Array("-----".utf8)
    var output: [UInt8] = []
    output.reserveCapacity(text.count + 64)
    var position = 0
    while position < text.count {
      let rest = text[position...]
      if rest.starts(with: "-----BEGIN ".utf8) || rest.starts(with: "-----END ".utf8),
        let end = rest.dropFirst(dashes.count).firstRange(of: dashes)
      {
        output.append(0x0A)
        output += rest[position..<end]
        output += dashes + [0x0A]
        position = end + dashes.count
      } else if rest.starts(with: "\\n".utf8) || rest.starts(with: "\\r".utf8) {
        output.append(0x0A)
        position += 2
      } else {
        output.append(text[position] == 0x20 || text[position] == 0x09 ? 0x0A : text[position])
        position += 1
      }
    }
    return output
  }
}

extension ArraySlice<UInt8> {
  /// The start of the first occurrence of some bytes.
  fileprivate func firstRange(of bytes: [UInt8]) -> Int? {
    guard count >= bytes.count else { return nil }
    return (startIndex...endIndex - bytes.count).first { self[$0...].starts(with: bytes) }
  }
}

extension [UInt8] {
  fileprivate func contains(_ text: StaticString) -> Bool {
    let sought = text.withUTF8Buffer { Array($0) }
    guard count >= sought.count else { return false }
    return (0...count - sought.count).contains { self[$0...].starts(with: sought) }
  }
}
