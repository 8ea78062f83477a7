import PaymentPrimitives
import ServerConfiguration
import StrictJSON

/// `counterfoil upgrade --check`: what this version will do to the database at its first start. It changes nothing.
enum UpgradeCommand {
  static let command = Command.of(
    "upgrade", BilingualText("say what the upgrade to this version does to the database", "说明升级到本版本会如何更改数据库"),
    usage: """
      usage: counterfoil upgrade --check [--json]

      Run it with the new program, before the server is replaced: it names the steps that the first start takes, the
      size of the database, how long this machine takes to read it once, and whether the disk has room for a backup.
      A step that makes an index or copies a table takes up to a few times as long as one reading. Nothing is changed.

        --check             needed: an upgrade itself is the start of the new server, or `counterfoil migrate --apply`
      \(ServerFlags.usage)
        --json              one JSON object

      Exit codes: 0 the start takes no step, or there is room for a backup before it; 1 the disk lacks room, or the
      database is of a newer version; 2 wrong usage or no readable database.

      """,
    valued: ServerFlags.valued, flags: ["check"]
  ) { options, platform in
    guard options.has("check") else { throw UsageError("`upgrade --check` is needed.") }
    let configuration = try await ChosenConfiguration.of(options, platform)
    let found = try await DatabaseFailure.inWords(configuration.database, exit: ExitCode.usage, platform) {
      try await MigrateCommand.found(configuration, platform)
    }
    let check = UpgradeCheck(
      found: found, newest: MigrateCommand.newest(configuration.database),
      steps: MigrateCommand.steps(after: found, configuration.database),
      disk: try configuration.database.file.map { try DiskCheck(of: $0, platform) } ?? nil)
    platform.print(
      options.has("json") ? check.json.text + "\n" : check.text(CommandLineProgram.language(platform)))
    return check.isReady ? ExitCode.done : ExitCode.failed
  }
}

/// The file of a database, and the disk that a backup would be written to.
private struct DiskCheck {
  let bytes: Int64
  let freeBytes: Int64
  /// How long this machine takes to read the file once.
  let readingMilliseconds: Int64

  /// As much of the file as is read to learn the speed.
  private static let sampleMax: Int64 = 64 << 20
  /// A backup may be a little larger than the file.
  private static let roomPercent: Int64 = 130

  var hasRoom: Bool { freeBytes >= bytes / 100 * Self.roomPercent }

  /// Nil if there is no file yet.
  init?(of path: String, _ platform: Platform) throws {
    guard let size = platform.folders.size(path), size > 0, let pieces = try platform.files.open(path) else {
      return nil
    }
    let folder = path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) : "."
    bytes = size
    freeBytes = try platform.folders.freeBytes(folder.isEmpty ? "/" : folder)
    let began = platform.monotonicNanoseconds()
    var read: Int64 = 0
    while read < Self.sampleMax {
      let piece = try pieces.next()
      if piece.isEmpty { break }
      read += Int64(piece.count)
    }
    let milliseconds = Int64((platform.monotonicNanoseconds() - began) / 1_000_000)
    readingMilliseconds = read > 0 ? Int64(Double(milliseconds) * Double(size) / Double(read)) : 0
  }
}

private struct UpgradeCheck {
  let found: Int
  let newest: Int
  let steps: [MigrateCommand.Step]
  /// Nil for a database on a server.
  let disk: DiskCheck?

  private var isNewer: Bool { found > newest }
  var isReady: Bool { !isNewer && (steps.isEmpty || disk?.hasRoom ?? true) }

  var json: JSONValue {
    .members([
      ("schema", .integer(found)), ("newest", .integer(newest)),
      (
        "steps",
        .array(steps.map { .members([("number", .integer($0.number)), ("summary", .string($0.summary))]) })
      ),
      ("bytes", disk.map { .integer($0.bytes) }), ("freeBytes", disk.map { .integer($0.freeBytes) }),
      ("readingMilliseconds", disk.map { .integer($0.readingMilliseconds) }), ("ready", .bool(isReady)),
    ])
  }

  func text(_ language: Language) -> String {
    if isNewer {
      return BilingualText(
        "The database is of a newer version (\(found), this program knows \(newest)). Use that version, or restore a "
          + "backup.\n",
        "数据库属于更新的版本（\(found)，本程序只到 \(newest)）。请使用该版本，或恢复备份。\n")[language]
    }
    guard !steps.isEmpty else {
      return BilingualText("The database is of this version: nothing is changed.\n", "数据库已是本版本，不会更改。\n")[language]
    }
    let head = BilingualText("The first start takes these steps:", "首次启动将执行：")[language]
    var lines = [head] + steps.map { "  \($0.number)  \($0.summary)" }
    if let disk {
      let megabytes = (size: disk.bytes >> 20, free: disk.freeBytes >> 20)
      lines.append(
        BilingualText(
          "The database has \(megabytes.size) MiB; reading it once takes about \(disk.readingMilliseconds) ms here. "
            + "\(megabytes.free) MiB are free.",
          "数据库为 \(megabytes.size) MiB，在本机读取一遍约需 \(disk.readingMilliseconds) 毫秒。可用空间 \(megabytes.free) MiB。")[language])
      lines.append(
        (disk.hasRoom
          ? BilingualText("Take a backup first: counterfoil backup --to DIR", "请先备份：counterfoil backup --to DIR")
          : BilingualText(
            "The disk lacks room for a backup beside it. Make room first.", "磁盘空间不足以在旁边备份，请先腾出空间。"))[language])
    }
    return lines.map { $0 + "\n" }.joined()
  }
}
