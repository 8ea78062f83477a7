import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Takes a user who is erased out of the entries of the audit log (record 312).
///
/// An entry keeps its place and its hash. A further entry says how each was left, so the chain covers that, too.
struct AuditLogRedaction {
  /// What the further entry tells.
  static let action = "auditLog.redact"

  let engine: PaymentEngine
  let erasure: UserErasure
  let app: AppPolicy

  /// Changes the entries after a number up to the present end, in bounded commits.
  ///
  /// - Returns: the number of the last entry that was looked at.
  func run(after number: Int64) async throws -> Int64 {
    var last = number
    while true {
      let (start, count) = (last, engine.limits.rowsPerErasureRead)
      let (app, erasure) = (app, erasure)
      let (page, named) = try await engine.read { reader in
        let page = try reader.auditLog(after: start, limit: count)
        let names = try reader.names(of: erasure, in: app)
        return (page, page.filter { Self.erased($0, names, by: erasure) != nil }.map(\.number))
      }
      for first in stride(from: 0, to: named.count, by: engine.limits.rowsPerErasureStep) {
        let part = Array(named.dropFirst(first).prefix(engine.limits.rowsPerErasureStep))
        let salt = engine.newSalt()
        try await engine.transact { transaction in
          let entries = try part.flatMap { try transaction.auditLog(after: $0 - 1, limit: 1) }
          try Self.redact(entries, of: erasure, app, salt: salt, in: transaction)
        }
      }
      last = page.last?.number ?? last
      guard page.count == count else { return last }
    }
  }

  /// Changes those of the entries that name the user, and enters how they were left.
  static func redact(
    _ entries: [AuditLogEntry], of erasure: UserErasure, _ app: AppPolicy, salt: [UInt8],
    in transaction: any DatabaseTransaction
  ) throws {
    let names = try transaction.names(of: erasure, in: app)
    let redacted = entries.compactMap { Self.erased($0, names, by: erasure) }
    guard !redacted.isEmpty else { return }
    let head = try transaction.auditLogHead()
    var what = ActionDescription(
      action, by: .host, "counterfoil", key: "\(action) \(erasure.alias) \((head?.number ?? 0) + 1)")
    (what.app, what.objectKind, what.object) = (erasure.app, "erasure", erasure.alias.text)
    what.reason =
      JSONValue.members(
        redacted.map { ("\($0.number)", .string(AuditLogChain.digest(of: $0))) }
      ).text
    for entry in redacted { try transaction.redact(entry) }
    try transaction.insert(
      AuditLogChain.entry(what, .done, problem: nil, at: transaction.now, after: head, salt: salt))
  }

  /// The same id in another app is another user. What says how entries were left names nobody.
  private static func erased(
    _ entry: AuditLogEntry, _ names: [UserIdentifier], by erasure: UserErasure
  ) -> AuditLogEntry? {
    guard entry.app == erasure.app, entry.action != action else { return nil }
    return entry.erased(names, behind: erasure.alias)
  }

  /// How an entry says that others were left: a digest of each, by its number.
  static func statements(in entry: AuditLogEntry) -> [Int64: String] {
    guard let text = entry.reason, case .object(let members)? = try? JSONReader.read(text.utf8) else { return [:] }
    var statements: [Int64: String] = [:]
    for member in members {
      // Only what came before can have been changed.
      guard let number = Int64(member.name), number < entry.number else { continue }
      statements[number] = member.value.string
    }
    return statements
  }
}

extension DatabaseReader {
  /// All names of a user who is being erased, in all environments of an app; none once the erasure has ended.
  fileprivate func names(of erasure: UserErasure, in app: AppPolicy) throws -> [UserIdentifier] {
    guard let current = try self.erasure(as: erasure.alias, of: erasure.app) else { return [] }
    return try Array(Set(app.userEnvironments.flatMap { try renaming(of: current, in: $0)?.names ?? [] })).sorted()
  }
}
