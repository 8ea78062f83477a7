import COpenSSL
import PaymentPrimitives

// Reads a certificate through OpenSSL, once, into values. A certificate that the values cannot express gives an error.

extension X509Certificate {
  /// Maximum bytes of a certificate; Apple's have about 1 kB.
  static let bytesMax = 16 << 10

  init(reading der: [UInt8]) throws(CodedError<CryptographyErrorCode>) {
    defer { ERR_clear_error() }
    guard der.count <= Self.bytesMax else {
      throw CodedError(.malformedCertificate, "It is larger than \(Self.bytesMax) bytes.")
    }
    let parsed: OpaquePointer? = der.withUnsafeBufferPointer { bytes in
      var position = bytes.baseAddress
      return d2i_X509(nil, &position, bytes.count)
    }
    guard let parsed else { throw CodedError(.malformedCertificate, "It cannot be read.") }
    let handle = CertificateHandle(owning: parsed)
    // Trailing bytes, long lengths and other BER variants give other bytes when written again.
    guard Self.written({ i2d_X509(parsed, $0) }) == der else {
      throw CodedError(.malformedCertificate, "It is not DER to its last byte.")
    }
    let flags = X509_get_extension_flags(parsed)
    guard flags & UInt32(EXFLAG_INVALID) == 0 else {
      throw CodedError(.malformedCertificate, "One of its extensions cannot be read, or stands twice.")
    }
    guard let notBefore = Self.timestamp(X509_get0_notBefore(parsed)),
      let notAfter = Self.timestamp(X509_get0_notAfter(parsed)),
      let signatureAlgorithm = Self.signatureAlgorithm(parsed),
      let extensions = Self.extensions(parsed)
    else { throw CodedError(.malformedCertificate, "Its dates, algorithm or extensions cannot be read.") }
    guard Set(extensions.map(\.identifier)).count == extensions.count else {
      throw CodedError(.malformedCertificate, "An extension stands in it twice.")
    }
    self.init(
      der: der, version: X509_get_version(parsed) + 1,
      subject: Self.name(X509_get_subject_name(parsed)),
      issuer: Self.name(X509_get_issuer_name(parsed)),
      serialNumber: Self.content(of: X509_get0_serialNumber(parsed)),
      notBefore: notBefore, notAfter: notAfter, signatureAlgorithm: signatureAlgorithm,
      publicKey: Self.publicKey(parsed), basicConstraints: Self.basicConstraints(parsed, flags),
      keyUsage: flags & UInt32(EXFLAG_KUSAGE) == 0 ? nil : Self.keyUsage(parsed),
      extendedKeyUsage: flags & UInt32(EXFLAG_XKUSAGE) == 0 ? nil : Self.extendedKeyUsage(parsed),
      extensions: extensions, handle: handle)
  }

  /// Whether the issuer's key signed this certificate. The caller must check names and dates.
  package func isSigned(by issuer: X509Certificate) -> Bool {
    defer { ERR_clear_error() }
    guard let key = X509_get0_pubkey(issuer.handle.pointer) else { return false }
    return X509_verify(handle.pointer, key) == 1
  }

  private static func publicKey(_ certificate: OpaquePointer) -> ECDSAPublicKey? {
    guard let key = X509_get_X509_PUBKEY(certificate) else { return nil }
    // The key is read from its bytes, which must name the curve: a key with explicit curve parameters is not
    // supported.
    return try? ECDSAPublicKey(spki: written { i2d_X509_PUBKEY(key, $0) })
  }

  private static func basicConstraints(
    _ certificate: OpaquePointer, _ flags: UInt32
  ) -> X509BasicConstraints? {
    guard flags & UInt32(EXFLAG_BCONS) != 0 else { return nil }
    let length = X509_get_pathlen(certificate)
    return X509BasicConstraints(
      isCertificateAuthority: flags & UInt32(EXFLAG_CA) != 0,
      pathLength: length < 0 ? nil : length)
  }

  private static func keyUsage(_ certificate: OpaquePointer) -> X509KeyUsage {
    // OpenSSL counts the bits of each byte from the opposite end to the standard.
    let bits = X509_get_key_usage(certificate)
    return X509KeyUsage(
      rawValue: (0..<8).reduce(0) { $0 | (bits >> (7 - $1) & 1 == 1 ? 1 << UInt16($1) : 0) })
  }

  private static func extendedKeyUsage(_ certificate: OpaquePointer) -> [ASN1ObjectIdentifier] {
    guard let usage = X509_get_ext_d2i(certificate, NID_ext_key_usage, nil, nil) else { return [] }
    let list = OpaquePointer(usage)
    defer { EXTENDED_KEY_USAGE_free(list) }
    return (0..<counterfoil_extended_key_usage_count(list)).compactMap {
      counterfoil_extended_key_usage(list, $0).flatMap(identifier)
    }
  }

  private static func extensions(_ certificate: OpaquePointer) -> [X509Extension]? {
    var extensions: [X509Extension] = []
    for index in 0..<X509_get_ext_count(certificate) {
      guard let item = X509_get_ext(certificate, index),
        let object = X509_EXTENSION_get_object(item), let identifier = identifier(object),
        let value = X509_EXTENSION_get_data(item)
      else { return nil }
      extensions.append(
        X509Extension(
          identifier, isCritical: X509_EXTENSION_get_critical(item) > 0,
          value: content(of: value)))
    }
    return extensions
  }

  private static func signatureAlgorithm(_ certificate: OpaquePointer) -> ASN1ObjectIdentifier? {
    var object: OpaquePointer?
    X509_ALGOR_get0(&object, nil, nil, X509_get0_tbs_sigalg(certificate))
    return object.flatMap(identifier)
  }

  private static func identifier(_ object: OpaquePointer) -> ASN1ObjectIdentifier? {
    let length = OBJ_obj2txt(nil, 0, object, 1)
    guard length > 0, length < 256 else { return nil }
    var text = [CChar](repeating: 0, count: Int(length) + 1)
    guard OBJ_obj2txt(&text, Int32(text.count), object, 1) == length else { return nil }
    return ASN1ObjectIdentifier(
      written: String(decoding: text.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  static func timestamp(_ time: UnsafePointer<ASN1_TIME>?) -> Timestamp? {
    guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
    defer { ASN1_TIME_free(epoch) }
    var days: Int32 = 0
    var seconds: Int32 = 0
    guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
    return Timestamp(seconds: Int64(days) * 86_400 + Int64(seconds))
  }

  private static func content(of string: UnsafePointer<ASN1_STRING>?) -> [UInt8] {
    guard let string, let bytes = ASN1_STRING_get0_data(string) else { return [] }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(ASN1_STRING_length(string))))
  }

  private static func name(_ name: OpaquePointer?) -> X509Name {
    guard let name else { return X509Name(der: [], description: "") }
    var parts: [String] = []
    for index in 0..<X509_NAME_entry_count(name) {
      guard let entry = X509_NAME_get_entry(name, index),
        let object = X509_NAME_ENTRY_get_object(entry), let identifier = identifier(object)
      else { continue }
      let short = OBJ_nid2sn(OBJ_obj2nid(object)).map { String(cString: $0) }
      let label = short == nil || short == "UNDEF" ? identifier.text : short ?? ""
      parts.append("\(label)=\(readable(X509_NAME_ENTRY_get_data(entry)))")
    }
    return X509Name(der: written { i2d_X509_NAME(name, $0) }, description: parts.joined(separator: ", "))
  }

  /// A name's text as UTF-8 without control characters, since operators read it.
  private static func readable(_ string: UnsafePointer<ASN1_STRING>?) -> String {
    var bytes: UnsafeMutablePointer<UInt8>?
    let length = ASN1_STRING_to_UTF8(&bytes, string)
    guard length >= 0, let bytes else { return "?" }
    defer { counterfoil_openssl_free(bytes) }
    let text = String(decoding: UnsafeBufferPointer(start: bytes, count: Int(length)), as: UTF8.self)
    return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? "?" : $0 }))
  }

  static func written(
    _ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
  ) -> [UInt8] {
    let length = write(nil)
    guard length > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: Int(length)) { output, count in
      var position = output.baseAddress
      count = Int(write(&position))
    }
  }
}

extension X509Certificate {
  private init(
    der: [UInt8], version: Int, subject: X509Name, issuer: X509Name, serialNumber: [UInt8],
    notBefore: Timestamp, notAfter: Timestamp, signatureAlgorithm: ASN1ObjectIdentifier,
    publicKey: ECDSAPublicKey?, basicConstraints: X509BasicConstraints?, keyUsage: X509KeyUsage?,
    extendedKeyUsage: [ASN1ObjectIdentifier]?, extensions: [X509Extension],
    handle: CertificateHandle
  ) {
    self.der = der
    self.version = version
    self.subject = subject
    self.issuer = issuer
    self.serialNumber = serialNumber
    self.notBefore = notBefore
    self.notAfter = notAfter
    self.signatureAlgorithm = signatureAlgorithm
    self.publicKey = publicKey
    self.basicConstraints = basicConstraints
    self.keyUsage = keyUsage
    self.extendedKeyUsage = extendedKeyUsage
    self.extensions = extensions
    self.handle = handle
  }
}
