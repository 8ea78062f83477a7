import PaymentEngine
import PaymentPrimitives
import SQLiteDatabase
import StrictJSON

/// What a backup contains: `manifest.json` beside its database. It is written last; a folder without it is no backup.
struct BackupManifest: Hashable, Sendable {
  static let file = "manifest.json"
  static let database = "counterfoil.db"
  static let bytesMax = 1 << 20

  private static let format: Int64 = 1

  /// The version of the program that took it.
  let program: String
  /// A moment before everything that is missing in it.
  let takenAt: Timestamp
  let contents: DatabaseContents
  let bytes: Int64
  /// The SHA-256 of the database file, in hexadecimal.
  let sha256: String
  /// Broken rules of money that the audit found in it.
  let violations: Int
  /// The last entry of its audit log. A database that is restored from it must contain that entry.
  let auditLogHead: AuditLogVerification.Head?
  /// The first entry of its audit log that is not as it was written; nil if the chain is whole.
  let auditLogBrokenAt: Int64?

  /// Whether the database contains no order and no payment.
  var isEmpty: Bool { contents.journalNumber == 0 }

  /// Whether all rules of money hold in it and its audit log is as it was written.
  var isWhole: Bool { violations == 0 && auditLogBrokenAt == nil }

  var json: JSONValue {
    .members([
      ("format", .integer(Self.format)), ("program", .string(program)), ("takenAt", .string(takenAt.iso8601)),
      ("database", .string(Self.database)), ("bytes", .integer(bytes)), ("sha256", .string(sha256)),
      ("profile", .string(contents.profile)), ("schema", .integer(contents.schema)),
      ("journalNumber", .integer(contents.journalNumber)),
      ("journalUntil", contents.journalUntil.map { .string($0.iso8601) }),
      ("violations", .integer(violations)),
      (
        "auditLogHead",
        auditLogHead.map { .members([("number", .integer($0.number)), ("hash", .string($0.hash))]) }
      ),
      ("auditLogBrokenAt", auditLogBrokenAt.map(JSONValue.integer)),
      ("rows", .members(contents.rows.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })),
    ])
  }

  init(
    program: String, takenAt: Timestamp, contents: DatabaseContents, bytes: Int64, sha256: String, violations: Int,
    auditLogHead: AuditLogVerification.Head?, auditLogBrokenAt: Int64?
  ) {
    self.program = program
    self.takenAt = takenAt
    self.contents = contents
    self.bytes = bytes
    self.sha256 = sha256
    self.violations = violations
    self.auditLogHead = auditLogHead
    self.auditLogBrokenAt = auditLogBrokenAt
  }

  /// Reads a manifest of this format; nil if it is none.
  init?(_ text: [UInt8]) {
    guard let json = try? JSONReader.read(text), json["format"]?.integer == Self.format,
      json["database"]?.string == Self.database, let program = json["program"]?.string,
      let takenAt = json["takenAt"]?.string.flatMap({ Timestamp(iso8601: $0) }), let bytes = json["bytes"]?.integer,
      let sha256 = json["sha256"]?.string, let profile = json["profile"]?.string,
      let schema = json["schema"]?.integer, let journalNumber = json["journalNumber"]?.integer,
      let violations = json["violations"]?.integer
    else { return nil }
    var rows: [String: Int64] = [:]
    for member in json["rows"]?.object ?? [] { rows[member.name] = member.value.integer }
    self.init(
      program: program, takenAt: takenAt,
      contents: DatabaseContents(
        profile: profile, schema: Int(schema), rows: rows, journalNumber: journalNumber,
        journalUntil: json["journalUntil"]?.string.flatMap { Timestamp(iso8601: $0) }),
      bytes: bytes, sha256: sha256, violations: Int(violations), auditLogHead: Self.head(json["auditLogHead"]),
      auditLogBrokenAt: json["auditLogBrokenAt"]?.integer)
  }

  /// Backups of earlier versions have none.
  private static func head(_ json: JSONValue?) -> AuditLogVerification.Head? {
    guard let number = json?["number"]?.integer, let hash = json?["hash"]?.string else { return nil }
    return AuditLogVerification.Head(number: number, hash: hash)
  }
}
