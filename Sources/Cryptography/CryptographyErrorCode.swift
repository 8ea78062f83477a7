public import PaymentVocabulary

/// What keys, certificates and their encodings are refused for.
public enum CryptographyErrorCode: String, ErrorCode {
  /// A text between BEGIN and END lines that is not of that form.
  case malformedPEM = "cryptography_malformed_pem"
  /// Bytes that are no key of the form asked for, or a point that is not on its curve.
  case malformedKey = "cryptography_malformed_key"
  /// A key of another algorithm or curve.
  case unsupportedKey = "cryptography_unsupported_key"
  /// A private key that is locked by a passphrase.
  case encryptedKey = "cryptography_encrypted_key"
  /// Bytes that are no X.509 certificate in DER.
  case malformedCertificate = "cryptography_malformed_certificate"
  /// Bytes that are no ECDSA signature of the curve.
  case malformedSignature = "cryptography_malformed_signature"

  public var meaning: BilingualText {
    switch self {
    case .malformedPEM:
      BilingualText("The text is not in PEM form.", "该文本不是 PEM 格式。")
    case .malformedKey:
      BilingualText("The bytes are no such key.", "这些字节不是所要求的密钥。")
    case .unsupportedKey:
      BilingualText("The key is of another algorithm or curve.", "密钥的算法或曲线不受支持。")
    case .encryptedKey:
      BilingualText("The private key is locked by a passphrase.", "私钥受口令保护。")
    case .malformedCertificate:
      BilingualText("The bytes are no X.509 certificate in DER.", "这些字节不是 DER 格式的 X.509 证书。")
    case .malformedSignature:
      BilingualText("The bytes are no ECDSA signature.", "这些字节不是 ECDSA 签名。")
    }
  }

  public var remedy: BilingualText {
    switch self {
    case .malformedPEM:
      BilingualText(
        "Use the file as it was downloaded, from its BEGIN line to its END line.",
        "请使用下载的原始文件，从 BEGIN 行到 END 行保持完整。")
    case .malformedKey, .malformedSignature:
      BilingualText("Use the value as its maker gave it, unchanged.", "请使用签发方给出的原始值，不要改动。")
    case .unsupportedKey:
      BilingualText("Use an elliptic-curve key on P-256 or P-384.", "请使用 P-256 或 P-384 椭圆曲线密钥。")
    case .encryptedKey:
      BilingualText(
        "Take the passphrase off and keep the file unreadable for others.", "请去除口令，并限制该文件的读取权限。")
    case .malformedCertificate:
      BilingualText(
        "Use the certificate in DER, or in PEM where PEM is accepted.", "请使用 DER 格式的证书；允许 PEM 的地方也可使用 PEM。")
    }
  }

  public var retry: RetryAdvice { .never }
}
