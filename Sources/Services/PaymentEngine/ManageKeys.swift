import Cryptography
import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

/// The text of an API key, which is shown once: the database stores its hash only.
package enum APIKeyText {
  /// The prefix of each kind of key, so that a key found somewhere is easy to recognise.
  package static func prefix(of kind: APIKey.Kind) -> String {
    switch kind {
    case .publishable: "cfp"
    case .secret: "cfs"
    case .operator: "cfo"
    }
  }

  /// A new key and its text, which is not stored yet.
  package static func newKey(
    _ kind: APIKey.Kind, for app: AppIdentifier, label: String, role: OperatorRole? = nil,
    expiresAt: Timestamp? = nil, mayCredit: Bool = false, mayGiveEntitlements: Bool = false,
    _ dependencies: Dependencies
  ) -> (text: String, key: APIKey) {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    let name = dependencies.randomBytes(12).map { alphabet[Int($0 & 31)] }
    let id = prefix(of: kind) + "_" + String(decoding: name, as: UTF8.self)
    // 32 random bytes are 43 characters; the underscore separates, so it may not occur in them.
    let text =
      id + "_"
      + String(Base64URL.encode(dependencies.randomBytes(32)).map { $0 == "_" ? "." : $0 })
    let key = APIKey(
      id: CredentialIdentifier(id), app: app, kind: kind, digest: digest(of: text), label: label,
      createdAt: dependencies.now(), role: role, expiresAt: expiresAt, mayCredit: mayCredit,
      mayGiveEntitlements: mayGiveEntitlements)
    return (text, key)
  }

  /// The id within a key's text: everything before the last underscore; nil if the text is not a key.
  package static func identifier(in text: String) -> CredentialIdentifier? {
    let parts = text.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 3, APIKey.Kind.allCases.map(prefix).contains(String(parts[0])),
      parts[1].count == 12, parts[2].count == 43
    else { return nil }
    return CredentialIdentifier(parts[0] + "_" + parts[1])
  }

  /// Whether a credential begins like a Counterfoil key, whole or not.
  package static func looksLikeKey(_ text: String) -> Bool {
    APIKey.Kind.allCases.contains { text.hasPrefix(prefix(of: $0) + "_") }
  }

  /// The hash that identifies a key: SHA-256 of its text, in hexadecimal.
  package static func digest(of text: String) -> String {
    SHA256.hash(text.utf8).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}

extension APIKey {
  /// Whether a text is this key; takes the same time for a wrong one as for the right one.
  package func isShown(by text: String) -> Bool {
    ConstantTime.isEqual(Array(digest.utf8), Array(APIKeyText.digest(of: text).utf8))
  }
}

extension PaymentEngine {
  /// Creates an API key; its text is in the answer and nowhere else.
  ///
  /// - Parameters:
  ///   - role: of an operator key; nil lets it do everything.
  ///   - mayCredit: of a secret key: whether it may give units without a payment.
  ///   - mayGiveEntitlements: of a secret key: whether it may give entitlements without a payment.
  package func createKey(
    _ kind: APIKey.Kind, for app: AppIdentifier, label: String, role: OperatorRole? = nil, expiresAt: Timestamp? = nil,
    mayCredit: Bool = false, mayGiveEntitlements: Bool = false
  ) async throws -> (text: String, key: APIKey) {
    let (text, key) = APIKeyText.newKey(
      kind, for: app, label: label, role: role, expiresAt: expiresAt, mayCredit: mayCredit,
      mayGiveEntitlements: mayGiveEntitlements, dependencies)
    try await transact { transaction in
      // An earlier run with an unknown outcome may have written it.
      if try transaction.apiKey(key.id) == nil { try transaction.insert(key) }
    }
    log(
      LogEvent(
        .info, "key.created",
        [
          ("app", app.text), ("key", key.id.text), ("kind", kind.rawValue),
          ("role", kind == .operator ? key.effectiveRole.rawValue : "none"),
        ]))
    return (text, key)
  }

  /// The key with that text that was not revoked, if there is one. It may have expired.
  package func key(text: String) async throws -> APIKey? {
    guard let id = APIKeyText.identifier(in: text) else { return nil }
    guard let key = try await read({ try $0.apiKey(id) }), key.revokedAt == nil, key.isShown(by: text)
    else { return nil }
    return key
  }

  package func listKeys(of app: AppIdentifier) async throws -> [APIKey] {
    try await read { try $0.apiKeys(of: app) }
  }

  /// Ends a key's validity; a repetition changes nothing.
  ///
  /// - Parameter app: the app that the key must belong to; nil for any.
  /// - Throws: `keyUnknown`.
  package func revokeKey(_ id: CredentialIdentifier, of app: AppIdentifier?) async throws -> APIKey {
    let key = try await transact { transaction in
      guard var key = try transaction.apiKey(id), app == nil || key.app == app else {
        throw CodedError<EngineErrorCode>(.keyUnknown)
      }
      if key.revokedAt == nil {
        key.revokedAt = transaction.now
        try transaction.update(key)
      }
      return key
    }
    log(LogEvent(.info, "key.revoked", [("app", key.app.text), ("key", id.text)]))
    return key
  }
}
