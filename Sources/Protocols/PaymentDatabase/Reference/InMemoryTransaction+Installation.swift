import PaymentModel
import PaymentPrimitives

extension InMemoryTransaction {
  func apiKey(_ id: CredentialIdentifier) throws -> APIKey? {
    try proceed()
    return rows.apiKeys[id]
  }

  func apiKeys(of app: AppIdentifier) throws -> [APIKey] {
    try proceed()
    return rows.apiKeys.values
      .filter { $0.app == app }
      .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
  }

  func setting(_ name: String) throws -> String? {
    try proceed()
    return rows.settings[ExactText(name)]
  }

  func insert(_ key: APIKey) throws {
    try proceed()
    guard rows.apiKeys[key.id] == nil else { throw conflict(on: "key") }
    set(\.apiKeys, key.id, value: key)
  }

  func update(_ key: APIKey) throws {
    try proceed()
    guard let before = rows.apiKeys[key.id], before.app == key.app, before.kind == key.kind,
      sameBytes(before.digest, key.digest), sameBytes(before.label, key.label),
      before.createdAt == key.createdAt, before.role == key.role, before.expiresAt == key.expiresAt,
      before.mayCredit == key.mayCredit, before.mayGiveEntitlements == key.mayGiveEntitlements,
      before.mayErase == key.mayErase
    else {
      throw fail(.inconsistent, "A key to be updated is missing or differs in more than its revocation and use.")
    }
    set(\.apiKeys, key.id, value: key)
  }

  func set(_ name: String, to value: String) throws {
    try proceed()
    set(\.settings, ExactText(name), value: value)
  }
}
