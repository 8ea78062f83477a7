import Cryptography
package import PaymentModel
package import PaymentPrimitives
package import StrictJSON

/// The chain of the audit log: each entry's hash is computed from its content and the hash before it.
package enum AuditLogChain {
  /// The entry of an action, after the last one.
  ///
  /// - Parameter salt: random bytes, for its seal.
  package static func entry(
    _ what: ActionDescription, _ outcome: AuditLogEntry.Outcome, problem: String?, at moment: Timestamp,
    after head: AuditLogEntry?, salt: [UInt8]
  ) -> AuditLogEntry {
    let seal = AuditLogEntry.Seal(digest: personalDigest(what.object, what.reason, salt: salt), salt: salt)
    func entry(hash: [UInt8]) -> AuditLogEntry {
      var entry = AuditLogEntry(
        number: (head?.number ?? 0) + 1, at: moment, app: what.app, environment: what.environment,
        actorKind: what.actorKind, actor: what.actor, role: what.role, address: what.address, action: what.action,
        objectKind: what.objectKind, object: what.object, reason: what.reason, requestId: what.requestId,
        outcome: outcome, problem: problem, actionKey: what.key,
        previous: head?.hash ?? AuditLogEntry.firstPrevious, hash: hash)
      entry.seal = seal
      return entry
    }
    return entry(hash: hash(of: entry(hash: [])))
  }

  /// SHA-256 over the hash before it and the entry as JSON, with its members in alphabetical order. The digest of its
  /// seal stands for the object and the reason.
  package static func hash(of entry: AuditLogEntry) -> [UInt8] {
    let covered = entry.seal == nil ? json(entry) : members(of: entry, isSealed: true)
    return Array(SHA256.hash(entry.previous + covered.bytes))
  }

  /// SHA-256 over the salt and what an erasure may replace.
  package static func personalDigest(_ object: String?, _ reason: String?, salt: [UInt8]) -> [UInt8] {
    let json = JSONValue.members([
      ("object", object.map(JSONValue.string)), ("reason", reason.map(JSONValue.string)),
    ])
    return Array(SHA256.hash(salt + json.bytes))
  }

  /// SHA-256 over all of an entry except its hashes, in hexadecimal.
  static func digest(of entry: AuditLogEntry) -> String { Array(SHA256.hash(json(entry).bytes)).hexadecimal }

  /// An entry without its hashes.
  package static func json(_ entry: AuditLogEntry) -> JSONValue { members(of: entry, isSealed: false) }

  private static func members(of entry: AuditLogEntry, isSealed: Bool) -> JSONValue {
    func personal(_ text: String?) -> JSONValue? { isSealed ? nil : text.map(JSONValue.string) }
    return .members([
      ("action", .string(entry.action)), ("actionKey", .string(entry.actionKey)), ("actor", .string(entry.actor)),
      ("actorKind", .string(entry.actorKind.rawValue)), ("address", entry.address.map(JSONValue.string)),
      ("app", entry.app.map { .string($0.text) }), ("at", .string(entry.at.iso8601)),
      ("environment", entry.environment.map { .string($0.rawValue) }), ("number", .integer(entry.number)),
      ("object", personal(entry.object)), ("objectKind", entry.objectKind.map(JSONValue.string)),
      ("outcome", .string(entry.outcome.rawValue)),
      ("personalDigest", entry.seal.map { .string($0.digest.hexadecimal) }),
      ("problem", entry.problem.map(JSONValue.string)), ("reason", personal(entry.reason)),
      ("redactedBy", personal(entry.redactedBy?.text)), ("requestId", entry.requestId.map(JSONValue.string)),
      ("role", entry.role.map { .string($0.rawValue) }), ("salt", personal(entry.seal?.salt?.hexadecimal)),
    ])
  }
}
