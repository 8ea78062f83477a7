package import PaymentPrimitives

/// Errors of keys, certificates and their encodings.
package enum CryptographyErrorCode: String, ErrorCode {
  /// A text between BEGIN and END lines in a wrong form.
  case malformedPEM = "cryptography_malformed_pem"
  /// Bytes that are not a key of the requested form, or a point that is not on its curve.
  case malformedKey = "cryptography_malformed_key"
  /// A key of another algorithm or curve.
  case unsupportedKey = "cryptography_unsupported_key"
  /// A private key that is encrypted with a passphrase.
  case encryptedKey = "cryptography_encrypted_key"
  /// Bytes that are not an X.509 certificate in DER.
  case malformedCertificate = "cryptography_malformed_certificate"
  /// Bytes that are not an ECDSA signature of the curve.
  case malformedSignature = "cryptography_malformed_signature"
  /// A certificate where a private key is needed.
  case certificateInsteadOfPrivateKey = "cryptography_certificate_instead_of_private_key"
  /// A certificate where a public key is needed.
  case certificateInsteadOfPublicKey = "cryptography_certificate_instead_of_public_key"
  /// A public key where a private key is needed.
  case publicKeyInsteadOfPrivateKey = "cryptography_public_key_instead_of_private_key"
  /// A private key where a public key is needed.
  case privateKeyInsteadOfPublicKey = "cryptography_private_key_instead_of_public_key"
  /// A PKCS#12 container where a key is needed.
  case containerInsteadOfKey = "cryptography_container_instead_of_key"
  /// A key of another algorithm where an RSA key is needed.
  case notAnRSAKey = "cryptography_rsa_key_needed"
  /// An RSA key shorter than 2048 bits, or longer than the supported maximum.
  case unsupportedRSAKeySize = "cryptography_rsa_key_size"
  /// Bytes that are not a CMS SignedData with one signer and included content.
  case malformedCMS = "cryptography_malformed_cms"
  /// An OCSP answer that says nothing reliable about the certificate.
  case unusableCertificateStatus = "cryptography_certificate_status"

  package var meaning: BilingualText {
    switch self {
    case .malformedPEM:
      BilingualText("The text is not in PEM form.", "该文本不是 PEM 格式。")
    case .malformedKey:
      BilingualText("The bytes are not such a key.", "这些字节不是所要求的密钥。")
    case .unsupportedKey:
      BilingualText("The key is of another algorithm or curve.", "密钥的算法或曲线不受支持。")
    case .encryptedKey:
      BilingualText("The private key is encrypted with a passphrase.", "私钥受口令保护。")
    case .malformedCertificate:
      BilingualText("The bytes are not an X.509 certificate in DER.", "这些字节不是 DER 格式的 X.509 证书。")
    case .malformedSignature:
      BilingualText("The bytes are not an ECDSA signature.", "这些字节不是 ECDSA 签名。")
    case .certificateInsteadOfPrivateKey:
      BilingualText("This is a certificate, not a private key.", "这是证书，不是私钥。")
    case .certificateInsteadOfPublicKey:
      BilingualText("This is a certificate, not a public key.", "这是证书，不是公钥。")
    case .publicKeyInsteadOfPrivateKey:
      BilingualText("This is a public key, not a private one.", "这是公钥，不是私钥。")
    case .privateKeyInsteadOfPublicKey:
      BilingualText("This is a private key, not a public one.", "这是私钥，不是公钥。")
    case .containerInsteadOfKey:
      BilingualText("This is a PKCS#12 container, not a key.", "这是 PKCS#12 容器，不是密钥。")
    case .notAnRSAKey:
      BilingualText("The key is not an RSA key.", "该密钥不是 RSA 密钥。")
    case .unsupportedRSAKeySize:
      BilingualText("The RSA key has an unsupported length.", "该 RSA 密钥的长度不受支持。")
    case .malformedCMS:
      BilingualText("The bytes are not signed data in CMS form.", "这些字节不是 CMS 格式的签名数据。")
    case .unusableCertificateStatus:
      BilingualText("The answer about the certificate's status cannot be used.", "关于证书状态的应答无法使用。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .malformedPEM:
      BilingualText(
        "Use the file as it was downloaded, from its BEGIN line to its END line.",
        "请使用下载的原始文件，从 BEGIN 行到 END 行保持完整。")
    case .malformedKey, .malformedSignature, .malformedCMS:
      BilingualText("Use the value unchanged, as its issuer gave it.", "请使用签发方给出的原始值，不要改动。")
    case .unsupportedKey:
      BilingualText("Use an elliptic-curve key on P-256 or P-384.", "请使用 P-256 或 P-384 椭圆曲线密钥。")
    case .encryptedKey:
      BilingualText(
        "Remove the passphrase, and make the file unreadable for others.", "请去除口令，并限制该文件的读取权限。")
    case .malformedCertificate:
      BilingualText(
        "Use the certificate in DER, or in PEM where PEM is accepted.", "请使用 DER 格式的证书；允许 PEM 的地方也可使用 PEM。")
    case .certificateInsteadOfPrivateKey:
      BilingualText(
        "Use the key file beside it: its first line contains PRIVATE KEY (apiclient_key.pem at WeChat Pay).",
        "请使用与其配套的私钥文件，首行含 PRIVATE KEY（微信支付为 apiclient_key.pem）。")
    case .certificateInsteadOfPublicKey:
      BilingualText(
        "Use the file with PUBLIC KEY in its first line (pub_key.pem at WeChat Pay), or configure it as a certificate.",
        "请使用首行含 PUBLIC KEY 的文件（微信支付为 pub_key.pem），或将其配置为证书。")
    case .publicKeyInsteadOfPrivateKey:
      BilingualText(
        "Use the key file with PRIVATE KEY in its first line: a public key cannot sign.",
        "请使用首行含 PRIVATE KEY 的私钥文件；公钥不能签名。")
    case .privateKeyInsteadOfPublicKey:
      BilingualText(
        "Use the other side's public key; move your own private key to its own setting.",
        "请使用对方的公钥，并将自己的私钥移到相应的设置项。")
    case .containerInsteadOfKey:
      BilingualText(
        "Use the key file in PEM (apiclient_key.pem), not the .p12.", "请使用 PEM 格式的密钥文件（apiclient_key.pem），而不是 .p12。")
    case .notAnRSAKey:
      BilingualText("Use the RSA key that the other side issued or registered.", "请使用对方签发或登记的 RSA 密钥。")
    case .unsupportedRSAKeySize:
      BilingualText("Use a key of 2048 to 8192 bits.", "请使用 2048 至 8192 位的密钥。")
    case .unusableCertificateStatus:
      BilingualText("Ask the responder again, and set the clock of this machine.", "请重新查询响应服务器，并校准本机时钟。")
    }
  }

  package var retry: RetryAdvice { .never }
}
