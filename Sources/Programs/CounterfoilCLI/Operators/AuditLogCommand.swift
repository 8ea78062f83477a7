import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// `counterfoil audit-log`: what operators did, and whether anybody changed the log.
enum AuditLogCommand {
  private static let shownMax: Int64 = 10_000

  static let command = Command.of(
    "audit-log", BilingualText("show or verify what operators did", "查看或校验操作记录"),
    usage: """
      usage: counterfoil audit-log [--limit N] [--json]
             counterfoil audit-log verify [--head NUMBER:HASH | --backup BACKUP] [--json]

      Prints what operators did, the newest first. `verify` computes the whole chain again and finds entries that were
      changed, removed, swapped or added between. It names the entries in which an erasure replaced a user. Reads only;
      works beside a running server.

        --limit N           how many entries, 50 by default
        --head NUMBER:HASH  also that this entry is there, as the log line auditLog.head told it: only so are entries
                            found that were cut off at the end
        --backup BACKUP     also that the last entry of this backup is there; the head is read from its manifest
      \(ServerFlags.usage)
        --json              JSON objects

      Exit codes: 0 printed, or the chain is whole; 1 the chain is broken; 2 wrong usage or no readable database.

      """,
    valued: ["limit", "head", "backup"] + ServerFlags.valued, wordsMax: 1
  ) { options, platform in
    switch options.words.first {
    case nil: return try await show(options, platform)
    case "verify": return try await verify(options, platform)
    default: throw UsageError("\(options.words[0]) is not understood.")
    }
  }

  private static func show(_ options: Options, _ platform: Platform) async throws -> Int32 {
    let limit = Int(try options.number("limit", in: 1...shownMax) ?? 50)
    let database = try await ReportedDatabase.reading(options, platform)
    for entry in try await database.reader.read({ try $0.auditLog(before: nil, limit: limit) }) {
      platform.print((options.has("json") ? AuditLogChain.json(entry).text : line(entry)) + "\n")
    }
    return ExitCode.done
  }

  private static func line(_ entry: AuditLogEntry) -> String {
    let on = [entry.app?.text, entry.objectKind, entry.object].compactMap(\.self).joined(separator: " ")
    let outcome = entry.problem.map { "\(entry.outcome.rawValue) (\($0))" } ?? entry.outcome.rawValue
    let redaction = entry.redactedBy.map { "redacted by erasure \($0)" } ?? ""
    return TerminalText.line(
      [
        "\(entry.number)", entry.at.iso8601, entry.actor, entry.action, on, outcome, entry.reason ?? "",
        redaction,
      ].filter { !$0.isEmpty }.joined(separator: "  "))
  }

  private static func verify(_ options: Options, _ platform: Platform) async throws -> Int32 {
    let head = try keptHead(options, platform)
    let database = try await ReportedDatabase.reading(options, platform)
    let result = try await database.reader.read { try AuditLogVerification(of: $0, reaching: head) }
    let broken = result.broken
    if options.has("json") {
      platform.print(
        JSONValue.members([
          ("entries", .integer(result.count)), ("whole", .bool(broken == nil)),
          ("headNumber", result.head.map { .integer($0.number) }), ("headHash", result.head.map { .string($0.hash) }),
          ("brokenAt", broken.map { .integer($0.number) }), ("finding", broken.map { .string($0.finding.rawValue) }),
          (
            "redacted",
            .array(
              result.redactions.map {
                .members([("number", .integer($0.number)), ("erasure", .string($0.alias.text))])
              })
          ),
        ]).text + "\n")
    } else {
      platform.print(text(result)[CommandLineProgram.language(platform)] + "\n")
    }
    return broken == nil ? ExitCode.done : ExitCode.failed
  }

  private static func text(_ result: AuditLogVerification) -> BilingualText {
    if let broken = result.broken {
      return BilingualText(
        "The audit log is broken at entry \(broken.number): \(broken.finding.rawValue).",
        "操作记录在第 \(broken.number) 条处不完整：\(broken.finding.rawValue)。")
    }
    let head = result.head.map { "\($0.number):\($0.hash)" } ?? "none"
    let redacted = result.redactions.map {
      BilingualText(
        "\nEntry \($0.number) was redacted by erasure \($0.alias).", "\n第 \($0.number) 条由删除 \($0.alias) 隐去了用户。")
    }
    return BilingualText(
      "The audit log is whole: \(result.count) entries, head \(head)." + redacted.map(\.english).joined(),
      "操作记录完整：共 \(result.count) 条，末端 \(head)。" + redacted.map(\.chinese).joined())
  }

  /// The head that the caller kept outside of the database.
  private static func keptHead(_ options: Options, _ platform: Platform) throws -> AuditLogVerification.Head? {
    let (text, backup) = (try options.one("head"), try options.one("backup"))
    guard text == nil || backup == nil else { throw UsageError("Either --head NUMBER:HASH or --backup BACKUP.") }
    guard let backup else { return try text.map(head) }
    guard let manifest = try BackupFolder.manifest(of: backup, platform) else {
      let words = BilingualText("\(backup) is no backup: it has no manifest.", "\(backup) 不是备份：其中没有清单。")
      throw CommandFailure(words[CommandLineProgram.language(platform)], code: ExitCode.usage)
    }
    guard let head = manifest.auditLogHead else {
      let words = BilingualText(
        "The manifest of \(backup) names no entry: its audit log was empty, or an earlier version took it.",
        "\(backup) 的清单中没有操作记录：备份时操作记录为空，或由较早的版本生成。")
      throw CommandFailure(words[CommandLineProgram.language(platform)], code: ExitCode.usage)
    }
    return head
  }

  private static func head(_ text: String) throws(UsageError) -> AuditLogVerification.Head {
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, let number = Int64(parts[0]), parts[1].utf8.count == 64 else {
      throw UsageError("--head is NUMBER:HASH, as the log line auditLog.head told it.")
    }
    return AuditLogVerification.Head(number: number, hash: parts[1].lowercased())
  }
}
