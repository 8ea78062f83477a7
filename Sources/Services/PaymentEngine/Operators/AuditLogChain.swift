import Cryptography
package import PaymentDatabase
package import PaymentModel
import PaymentPrimitives
package import StrictJSON

/// The chain of the audit log: each entry's hash is computed from its content and the hash before it.
package enum AuditLogChain {
  /// The entry of an action, after the last one.
  static func entry(
    _ what: ActionDescription, _ outcome: AuditLogEntry.Outcome, problem: String?, at moment: Timestamp,
    after head: AuditLogEntry?
  ) -> AuditLogEntry {
    func entry(hash: [UInt8]) -> AuditLogEntry {
      AuditLogEntry(
        number: (head?.number ?? 0) + 1, at: moment, app: what.app, environment: what.environment,
        actorKind: what.actorKind, actor: what.actor, role: what.role, address: what.address, action: what.action,
        objectKind: what.objectKind, object: what.object, reason: what.reason, requestId: what.requestId,
        outcome: outcome, problem: problem, actionKey: what.key,
        previous: head?.hash ?? AuditLogEntry.firstPrevious, hash: hash)
    }
    return entry(hash: hash(of: entry(hash: [])))
  }

  /// SHA-256 over the hash before it and the entry as JSON, with its members in alphabetical order.
  package static func hash(of entry: AuditLogEntry) -> [UInt8] {
    Array(SHA256.hash(entry.previous + json(entry).bytes))
  }

  /// An entry without its hashes.
  package static func json(_ entry: AuditLogEntry) -> JSONValue {
    .members([
      ("action", .string(entry.action)), ("actionKey", .string(entry.actionKey)), ("actor", .string(entry.actor)),
      ("actorKind", .string(entry.actorKind.rawValue)), ("address", entry.address.map(JSONValue.string)),
      ("app", entry.app.map { .string($0.text) }), ("at", .string(entry.at.iso8601)),
      ("environment", entry.environment.map { .string($0.rawValue) }), ("number", .integer(entry.number)),
      ("object", entry.object.map(JSONValue.string)), ("objectKind", entry.objectKind.map(JSONValue.string)),
      ("outcome", .string(entry.outcome.rawValue)), ("problem", entry.problem.map(JSONValue.string)),
      ("reason", entry.reason.map(JSONValue.string)), ("requestId", entry.requestId.map(JSONValue.string)),
      ("role", entry.role.map { .string($0.rawValue) }),
    ])
  }
}

/// Checks the whole chain.
package struct AuditLogVerification: Hashable, Sendable {
  package enum Finding: String, Hashable, Sendable {
    /// A number is missing.
    case gap
    /// It does not name the hash of the entry before.
    case unlinked
    /// Its content does not have its hash.
    case changed
    /// The log ends before the head that was given, or has another entry there.
    case headMissing
  }

  /// The number and the hash of an entry, kept outside of the database.
  package struct Head: Hashable, Sendable {
    package let number: Int64
    /// In hexadecimal.
    package let hash: String

    package init(number: Int64, hash: String) {
      self.number = number
      self.hash = hash
    }
  }

  /// Entries that are read at a time.
  private static let pageSize = 1000

  package private(set) var count: Int64 = 0
  package private(set) var head: Head?
  /// The first entry that is not as it should be; nil if the chain is whole.
  package private(set) var broken: (number: Int64, finding: Finding)? {
    get { brokenAt.flatMap { number in finding.map { (number, $0) } } }
    set {
      brokenAt = newValue?.number
      finding = newValue?.finding
    }
  }
  private var brokenAt: Int64?
  private var finding: Finding?

  private var previous = AuditLogEntry.firstPrevious
  private var isKeptFound: Bool
  private let kept: Head?

  private init(reaching kept: Head?) {
    self.kept = kept
    isKeptFound = kept == nil
  }

  /// Checks a whole log.
  ///
  /// - Parameter kept: a head that must be in the log.
  package init(of reader: any DatabaseReader, reaching kept: Head? = nil) throws {
    self.init(reaching: kept)
    while broken == nil {
      let page = try reader.auditLog(after: count, limit: Self.pageSize)
      take(page)
      guard page.count == Self.pageSize else { break }
    }
    finish()
  }

  /// Checks the entries of a whole log.
  package init(of entries: [AuditLogEntry], reaching kept: Head? = nil) {
    self.init(reaching: kept)
    take(entries)
    finish()
  }

  private mutating func take(_ entries: [AuditLogEntry]) {
    for entry in entries where broken == nil {
      if let finding = Self.finding(entry, after: previous, count: count) {
        broken = (count + 1, finding)
        return
      }
      count += 1
      previous = entry.hash
      if let kept, kept.number == count, kept.hash == entry.hash.hexadecimal { isKeptFound = true }
    }
  }

  private mutating func finish() {
    if count > 0 { head = Head(number: count, hash: previous.hexadecimal) }
    if broken == nil, !isKeptFound, let kept { broken = (kept.number, .headMissing) }
  }

  private static func finding(_ entry: AuditLogEntry, after previous: [UInt8], count: Int64) -> Finding? {
    if entry.number != count + 1 { return .gap }
    if entry.previous != previous { return .unlinked }
    return AuditLogChain.hash(of: entry) == entry.hash ? nil : .changed
  }
}
