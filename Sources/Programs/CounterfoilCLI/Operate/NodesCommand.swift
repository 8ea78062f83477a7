import PaymentDatabase
import PaymentPrimitives
import StrictJSON

/// `counterfoil nodes`: the servers over one database.
enum NodesCommand {
  static let command = Command.of(
    "nodes", BilingualText("list the servers over one PostgreSQL database", "列出共用同一 PostgreSQL 数据库的服务器"),
    usage: """
      usage: counterfoil nodes [--json]

      Lists the servers over the database, with their state: active, draining (about to end), or gone (silent for 30
      seconds; it may come back). A server that has ended is not listed. A SQLite file has one server and lists none.
      Reads only.

      \(ServerFlags.usage)
        --json              one JSON object

      Exit codes: 0 listed, 2 wrong usage or no readable database.

      """,
    valued: ServerFlags.valued
  ) { options, platform in
    let nodes = try await ReportedDatabase.reading(options, platform).reader.nodes()
    if options.has("json") {
      platform.print(JSONValue.members([("nodes", .array(nodes.map(json)))]).text + "\n")
      return ExitCode.done
    }
    let none = BilingualText("This database has no nodes.\n", "该数据库没有节点。\n")
    let lines = nodes.map { "\($0.number)  \($0.state.rawValue)  \($0.startedAt.iso8601)  \($0.seenAt.iso8601)\n" }
    platform.print(nodes.isEmpty ? none[CommandLineProgram.language(platform)] : lines.joined())
    return ExitCode.done
  }

  private static func json(_ node: NodeRecord) -> JSONValue {
    .members([
      ("node", .integer(node.number)), ("state", .string(node.state.rawValue)),
      ("startedAt", .string(node.startedAt.iso8601)), ("seenAt", .string(node.seenAt.iso8601)),
    ])
  }
}
