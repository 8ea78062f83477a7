import PaymentPrimitives
import StrictJSON
import SystemPlatform
import Testing

@Suite struct `The command line` {
  private static let commands = [
    "counterfoil": [
      "serve", "verify", "search", "orders", "payments", "users", "queue", "refunds",
      "subscriptions", "notifications list", "deliveries", "reconciliations", "events", "diagnostics", "extensions",
      "redirect-refund", "complaints", "reconcile", "report", "audit", "audit-log", "export", "nodes",
      "backup", "restore", "restored", "copy", "import",
      "observe report", "notifications forwarded", "keys", "accounts", "token", "schema", "migrate", "upgrade", "init",
      "config check", "config explain",
      "doctor", "alerts test", "health", "listen", "receiver", "version", "completions", "manual-page",
    ],
    "counterfoil-lab": [
      "run", "simulator", "demo", "trigger", "simulate", "bench", "serve", "version", "completions", "manual-page",
    ],
  ]

  /// Wrong calls, each with a part of its message and its documented exit code.
  private static let wrong: [(words: [String], says: String, code: Int32)] = [
    (["serv"], "there is no command serv. Is serve meant?", 2),
    (["world"], "the command world is now `counterfoil-lab simulate`.", 2),
    (["observed"], "the command observed is now `counterfoil observe report`.", 2),
    (["forwards"], "the command forwards is now `counterfoil notifications forwarded`.", 2),
    (["config"], "the command config is now `counterfoil config check`.", 2),
    (["observe"], "there is no command observe.", 2),
    (["serve"], "counterfoil init ", 2),
    (["serve", "--config", "nope.toml"], "there is no file nope.toml.", 2),
    (["serve", "--config", "."], "The file cannot be read.", 2),
    (["serve", "--prot", "1"], "--prot is no option of this command. Is --port meant?", 2),
    (["serve", "now"], "now is not understood.", 2),
    (["serve", "--port"], "--port needs a value.", 2),
    (["run", "--port", "99999"], "--port must be a whole number from 0 to 65535.", 2),
    (["simulator", "--port", "x"], "--port must be a whole number", 2),
    (["demo", "--kills", "-1"], "--kills must be a whole number from 0 to 1000.", 2),
    (["demo", "please"], "please is not understood.", 2),
    (["version", "please"], "please is not understood.", 2),
    (["schema", "please"], "please is not understood.", 2),
    (["init", "here"], "here is not understood.", 2),
    (["token"], "--user is needed", 2),
    (["token", "--user", "u"], "counterfoil-lab run", 2),
    (["orders"], "--config FILE", 2),
    (["orders", "a", "b"], "b is not understood.", 2),
    (["audit"], "--config FILE", 2),
    (["migrate"], "--config FILE", 2),
    (["upgrade"], "`upgrade --check` is needed.", 2),
    (["upgrade", "--check"], "--config FILE", 2),
    (["copy"], "--config FILE", 2),
    (["schema", "--role", "it's"], "--role is made of small letters", 2),
    (["schema", "--database", "mysql://h/d"], "database_invalid_address", 2),
    (["nodes"], "--config FILE", 2),
    (["export"], "Name what is exported", 2),
    (["export", "cats"], "cats cannot be exported.", 2),
    (["alerts", "test"], "there is no configuration", 2),
    (["keys"], "one of `keys create`, `keys list` and `keys revoke` is needed.", 2),
    (["keys", "create"], "--kind is one of publishable, secret, operator.", 2),
    (["keys", "create", "--kind", "secret"], "--label is needed.", 2),
    (["keys", "revoke"], "the id of one key is needed", 2),
    (["verify"], "no file is named", 2),
    (["verify", "nope.jws"], "nope.jws cannot be read: there is no such file", 2),
    (["bench"], "what is to be measured?", 2),
    (["bench", "everything"], "there is no measurement everything.", 2),
    (["bench", "verify", "--pears", "1"], "--pears", 2),
    (["bench", "fulfil"], "--store must be app-store or wechat-pay.", 2),
    (["bench", "fulfil", "--store", "app-store", "--orders", "9"], "--orders must be a whole number from 10", 2),
  ]

  @Test(.timeLimit(.minutes(5)))
  func `reports the error and the remedy, and ends with the documented exit code`() async throws {
    try await withFolder { folder in
      for call in Self.wrong {
        let process = try ProgramProcess(call.words, in: folder)
        let code = try await process.end()
        #expect(code == call.code, "\(call.words): \(process.errors)")
        #expect(process.errors.contains(call.says), "\(call.words): \(process.errors)")
        #expect(process.errors.hasPrefix("counterfoil"), "\(call.words): \(process.errors)")
        #expect(process.output.isEmpty, "\(call.words): \(process.output)")
        // A message for people contains no type name of the source.
        for foreign in ["CommandFailure", "Refusal", "Error(", "boost", "Optional("] {
          #expect(!process.errors.contains(foreign), "\(call.words): \(process.errors)")
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `explains every command, with --help and with help, and lists its exit codes`() async throws {
    try await withFolder { folder in
      for (program, commands) in Self.commands.sorted(by: { $0.key < $1.key }) {
        let overview = try await counterfoil("--help", in: folder, program: program)
        #expect(overview.code == 0)
        let bare = try await counterfoil(in: folder, program: program)
        #expect(bare.code == 2 && bare.output == overview.output)
        let chinese = try await counterfoil(
          "help", in: folder, environment: ["LC_ALL": "zh_CN.UTF-8"], program: program)
        #expect(chinese.code == 0 && chinese.output.contains("运行服务器"))
        for command in commands {
          #expect(overview.output.contains("\n  \(command) "), "\(command)")
          let words = command.split(separator: " ").map(String.init)
          let usage = try await counterfoil(words + ["--help"], in: folder, program: program)
          #expect(usage.code == 0 && usage.errors.isEmpty, "\(command)")
          #expect(usage.output.hasPrefix("usage: counterfoil"), "\(command): \(usage.output)")
          #expect(usage.output.prefix { $0 != "\n" }.contains(" \(command)"), "\(command): \(usage.output)")
          #expect(usage.output.contains("Exit codes: 0 "), "\(command): \(usage.output)")
          let help = try await counterfoil(["help"] + words, in: folder, program: program)
          #expect(help.code == 0 && help.output == usage.output, "\(command)")
        }
        let listed = overview.output.split(separator: "\n").filter { $0.hasPrefix("  ") }
          .compactMap { line in
            line.dropFirst(2).firstRange(of: "  ").map { String(line[line.startIndex..<$0.lowerBound].dropFirst(2)) }
          }
        #expect(listed == commands, "a command that is not tested here")
      }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `reports every error in a configuration with its position, in both languages`() async throws {
    try await withFolder { folder in
      let made = try await counterfoil("init", in: folder)
      #expect(made.code == 0)
      try spoil(folder + "/counterfoil.toml", "port = 8080", new: "prot = 8080")
      try spoil(folder + "/counterfoil.toml", "\"consumable\" ", new: "\"consumed\" ")
      let english = try await counterfoil("serve", in: folder)
      #expect(english.code == 2)
      #expect(english.errors.contains("counterfoil.toml:4:1: prot: configuration_unknown_key"))
      #expect(english.errors.contains("Is \"port\" meant?") && english.errors.contains("Correct the key's spelling"))
      #expect(english.errors.contains("configuration_not_one_of") && english.errors.contains("\"consumable\""))
      let chinese = try await counterfoil("serve", in: folder, environment: ["LC_ALL": "zh_CN.UTF-8"])
      #expect(chinese.code == 2 && chinese.errors.contains("请更正键的拼写"))
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `refuses the unchanged template of init in config, although a start only warns about it`() async throws {
    try await withFolder { folder in
      _ = try await counterfoil("init", in: folder)
      let answer = try await counterfoil("config", "check", in: folder)
      #expect(answer.code == 2)
      for key in ["app[0].bundle_id", "app[0].app_apple_id", "app[0].product"] {
        #expect(answer.errors.contains(key + ": configuration_placeholder"), "\(answer.errors)")
      }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `creates, lists and revokes keys, and prints the schema and empty reports`() async throws {
    try await withFolder { folder in
      _ = try await counterfoil("init", in: folder)
      let made = try await counterfoil("keys", "create", "--kind", "operator", "--label", "me", "--json", in: folder)
      let key = try JSONReader.read(made.output.utf8)
      let id = try #require(key["id"]?.string)
      #expect(made.code == 0 && key["key"]?.string?.hasPrefix(id + "_") == true)
      let listed = try await counterfoil("keys", "list", in: folder)
      #expect(listed.code == 0 && listed.output.contains("\(id)  my-app  operator") && listed.output.contains("me"))
      #expect(!listed.output.contains(key["key"]?.string ?? ""), "a key is shown once")
      let revoked = try await counterfoil("keys", "revoke", id, in: folder)
      #expect(revoked.code == 0 && revoked.output == "\(id) is revoked.\n")
      let unknown = try await counterfoil("keys", "revoke", "nope", in: folder)
      #expect(unknown.code == 1 && unknown.errors.contains("(key_unknown)"))
      let none = try await counterfoil("orders", "nope", in: folder)
      #expect(none.code == 1 && none.errors.contains("there is no order nope."))
      let orders = try await counterfoil("orders", in: folder)
      #expect(orders.code == 0 && orders.output == "no orders\n")
      let audit = try await counterfoil("audit", "--idle", in: folder)
      #expect(audit.code == 0 && audit.output.contains("The database is EMPTY"))
      let schema = try await counterfoil("schema", in: folder)
      #expect(schema.code == 0 && schema.output.contains("CREATE TABLE orders"))
      let version = try await counterfoil("version", in: folder)
      #expect(version.code == 0 && version.output.hasPrefix("counterfoil "))
    }
  }

  #if os(Linux)
    // scripts/sanitize builds into folders of this name.
    @Test(.disabled(if: CommandLine.arguments[0].contains("/sanitize-"), "a sanitizer puts its own malloc first"))
    func `says which allocator serves malloc: mimalloc on Linux`() async throws {
      try await withFolder { folder in
        let version = try await counterfoil("version", "--json", in: folder)
        let allocator = try JSONReader.read(version.output.utf8)["allocator"]?.string
        #expect(allocator?.hasPrefix("mimalloc ") == true, "\(version)")
      }
    }
  #endif

  private func spoil(_ path: String, _ old: String, new: String) throws {
    let text = String(decoding: try Files.read(path, bytesMax: 1 << 20), as: UTF8.self)
    #expect(text.contains(old))
    try Files.replace(path, with: Array(text.replacing(old, with: new).utf8))
  }
}
