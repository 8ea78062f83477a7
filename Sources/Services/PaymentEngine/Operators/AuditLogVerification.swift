package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

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

  /// An entry in which an erasure has replaced a user.
  package struct Redaction: Hashable, Sendable {
    package let number: Int64
    /// What stands for the user.
    package let alias: UserIdentifier
    /// SHA-256 over the entry as it is now.
    fileprivate let digest: String
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

  /// In order. All else of such an entry is as it was written, and the log says how it was left.
  package private(set) var redactions: [Redaction] = []
  /// How later entries say that erasures left an entry, by its number; the last one counts.
  private var statements: [Int64: String] = [:]

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
      note(entry)
      if let kept, kept.number == count, kept.hash == entry.hash.hexadecimal { isKeptFound = true }
    }
  }

  private mutating func note(_ entry: AuditLogEntry) {
    if let alias = entry.redactedBy {
      redactions.append(Redaction(number: entry.number, alias: alias, digest: AuditLogChain.digest(of: entry)))
    } else if entry.action == AuditLogRedaction.action {
      statements.merge(AuditLogRedaction.statements(in: entry)) { $1 }
    }
  }

  private mutating func finish() {
    if count > 0 { head = Head(number: count, hash: previous.hexadecimal) }
    if broken == nil, let unsaid = redactions.first(where: { statements[$0.number] != $0.digest }) {
      broken = (unsaid.number, .changed)
    }
    if broken == nil, !isKeptFound, let kept { broken = (kept.number, .headMissing) }
  }

  private static func finding(_ entry: AuditLogEntry, after previous: [UInt8], count: Int64) -> Finding? {
    if entry.number != count + 1 { return .gap }
    if entry.previous != previous { return .unlinked }
    return isAsWritten(entry) ? nil : .changed
  }

  /// Whether it has its hash. Of what an erasure has changed, all else has it; of earlier versions' entries, only the
  /// log can say how they were left.
  private static func isAsWritten(_ entry: AuditLogEntry) -> Bool {
    guard let seal = entry.seal else { return entry.redactedBy != nil || AuditLogChain.hash(of: entry) == entry.hash }
    guard AuditLogChain.hash(of: entry) == entry.hash else { return false }
    guard let salt = seal.salt else { return entry.redactedBy != nil }
    return entry.redactedBy == nil
      && AuditLogChain.personalDigest(entry.object, entry.reason, salt: salt) == seal.digest
  }
}
