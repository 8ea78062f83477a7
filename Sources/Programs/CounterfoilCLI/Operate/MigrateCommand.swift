import PaymentDatabase
import PaymentPrimitives
import PostgreSQLDatabase
import SQLiteDatabase
import ServerConfiguration
import StrictJSON

/// `counterfoil migrate`: shows the steps that bring a database to this version, and takes them.
enum MigrateCommand {
  static let command = Command.of(
    "migrate", BilingualText("bring the database's schema to this version", "将数据库结构升级到本版本"),
    usage: """
      usage: counterfoil migrate [--apply] [--json]

      Lists the steps that the schema of the database lacks. With --apply it takes them, and makes a database that does
      not exist. `counterfoil serve` does the same at its start; here an owner can do it for a role that may not.

        --apply             take the steps
      \(ServerFlags.usage)
        --json              one JSON object

      Exit codes: 0 nothing is left to do, 1 steps are left, or they failed, 2 wrong usage or no readable database.

      """,
    valued: ServerFlags.valued, flags: ["apply"]
  ) { options, platform in
    let configuration = try await ChosenConfiguration.of(options, platform)
    let before = try await DatabaseFailure.inWords(configuration.database, exit: ExitCode.usage, platform) {
      try await found(configuration, platform)
    }
    let steps = steps(after: before, configuration.database)
    if options.has("apply"), !steps.isEmpty {
      let database = try await DatabaseFailure.inWords(configuration.database, platform) {
        try await OpenDatabase.writing(configuration, holder: "counterfoil migrate", platform)
      }
      await database.close()
    }
    let isApplied = options.has("apply")
    platform.print(
      options.has("json")
        ? json(steps, from: before, isApplied).text + "\n"
        : text(steps, isApplied: isApplied, CommandLineProgram.language(platform)))
    return steps.isEmpty || isApplied ? ExitCode.done : ExitCode.failed
  }

  typealias Step = (number: Int, summary: String)

  /// The number of the last step that the database has; 0 if there is none.
  static func found(_ configuration: ServerConfiguration, _ platform: Platform) async throws -> Int {
    switch configuration.database {
    case .file(let path): return try SQLiteSchema.version(ofFile: path) ?? 0
    case .server(let server):
      let facts = try await PostgreSQLDatabase.facts(
        OpenDatabase.settings(of: server, configuration.profile, platform), on: ThreadExecutor())
      return facts.schemaVersion ?? 0
    }
  }

  static func steps(after number: Int, _ database: DatabaseLocation) -> [Step] {
    let all: [Step] =
      switch database {
      case .file: SQLiteSchema.migrations.map { ($0.number, $0.summary) }
      case .server: PostgreSQLSchema.migrations.map { ($0.number, $0.summary) }
      }
    return all.filter { $0.number > number }
  }

  /// The number of the last step that this version knows.
  static func newest(_ database: DatabaseLocation) -> Int {
    steps(after: 0, database).last?.number ?? 0
  }

  private static func json(_ steps: [Step], from before: Int, _ isApplied: Bool) -> JSONValue {
    .members([
      ("schema", .integer(isApplied ? steps.last?.number ?? before : before)), ("applied", .bool(isApplied)),
      (
        "steps",
        .array(steps.map { .members([("number", .integer($0.number)), ("summary", .string($0.summary))]) })
      ),
    ])
  }

  private static func text(_ steps: [Step], isApplied: Bool, _ language: Language) -> String {
    guard !steps.isEmpty else {
      return BilingualText("The schema is of this version.\n", "数据库结构已是本版本。\n")[language]
    }
    let head =
      isApplied
      ? BilingualText("Taken:", "已执行：")
      : BilingualText("To come, with --apply or the next start:", "待执行（使用 --apply 或下次启动时）：")
    return ([head[language]] + steps.map { "  \($0.number)  \($0.summary)" }).joined(separator: "\n") + "\n"
  }
}
