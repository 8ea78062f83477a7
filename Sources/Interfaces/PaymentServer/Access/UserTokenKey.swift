package import Cryptography
package import PaymentPrimitives

/// The key with which an app's backend signs its user tokens.
package struct UserTokenKey: Sendable {
  package enum Method: Sendable {
    /// HMAC-SHA256 with a shared secret of at least 32 bytes.
    case hs256(Secret)
    /// ECDSA on P-256; the server has only the public key.
    case es256(ECDSAPublicKey)
  }

  /// The minimum length of a shared secret in bytes: the length of the authentication code (RFC 7518, section 3.2). A
  /// shorter one can be guessed.
  package static let secretBytesMin = 32

  /// The app of the users that it identifies.
  package let app: AppIdentifier
  package let method: Method

  /// A key of an app.
  ///
  /// - Throws: `secretTooShort`, or `curveNotP256` for a public key on another curve: no ES256 token could ever be
  ///   valid.
  package init(app: AppIdentifier, method: Method) throws(CodedError<UserTokenKeyErrorCode>) {
    switch method {
    case .hs256(let secret):
      guard secret.count >= Self.secretBytesMin else {
        throw CodedError(.secretTooShort, "It has \(secret.count) bytes.")
      }
    case .es256(let key):
      guard key.curve == .p256 else { throw CodedError(.curveNotP256, "It lies on \(key.curve.rawValue).") }
    }
    self.app = app
    self.method = method
  }
}

/// Why a key cannot sign user tokens.
package enum UserTokenKeyErrorCode: String, ErrorCode {
  /// The shared secret has fewer than 32 bytes.
  case secretTooShort = "user_token_secret_too_short"
  /// The public key is not on P-256.
  case curveNotP256 = "user_token_key_not_p256"

  package var meaning: BilingualText {
    switch self {
    case .secretTooShort:
      BilingualText("The secret for user tokens (HS256) has fewer than 32 bytes.", "用户令牌密钥（HS256）不足 32 字节。")
    case .curveNotP256:
      BilingualText("The public key for user tokens (ES256) is not on P-256.", "用户令牌公钥（ES256）不在 P-256 曲线上。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .secretTooShort:
      BilingualText(
        "Use at least 32 random bytes, for example of `openssl rand -base64 32`.",
        "请使用至少 32 个随机字节，例如 `openssl rand -base64 32`。")
    case .curveNotP256:
      BilingualText("Make the key with the curve prime256v1.", "请使用 prime256v1 曲线生成密钥。")
    }
  }

  package var retry: RetryAdvice { .never }
}
