package import PaymentModel
package import PaymentPrimitives

extension RecordingTransaction {
  package func apiKey(_ id: CredentialIdentifier) throws -> APIKey? { try read(.apiKey(id)) { try $0.apiKey(id) } }

  package func setting(_ name: String) throws -> String? { try read(.setting(name)) { try $0.setting(name) } }

  package func insert(_ key: APIKey) throws { try write(.installation(.insertKey(key))) }

  package func update(_ key: APIKey) throws { try write(.installation(.updateKey(key))) }

  package func set(_ name: String, to value: String) throws { try write(.installation(.set(name, to: value))) }

  package func bringForward(_ work: WaitingWork, limit: Int) throws -> Int {
    try writeEverything { try $0.bringForward(work, limit: limit) }
  }

  package func apiKeys(of app: AppIdentifier) throws -> [APIKey] { try readWithoutKey { try $0.apiKeys(of: app) } }
}
