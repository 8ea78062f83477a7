import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import StrictJSON

/// `counterfoil keys`: creates, lists and revokes API keys in the database.
enum KeysCommand {
  static let command = Command.of(
    "keys", BilingualText("create, list and revoke API keys", "创建、列出和吊销 API 密钥"),
    usage: """
      usage: counterfoil keys create --kind KIND --label WORDS [--role ROLE] [--expires WHEN] [--app ID]
                                [--may-credit] [--may-give-entitlements] [--may-erase] [--json]
             counterfoil keys list [--app ID] [--json]
             counterfoil keys revoke KEY_ID

      Makes API keys; the database keeps their hashes alone, so a key is shown once. While a server runs over the
      database on this machine, it is asked to do this: its owner's account is all that is needed.

        --kind KIND         publishable (ships inside the app), secret (your backend), operator (you)
        --label WORDS       for people: what the key is for
        --role ROLE         what an operator key may do: viewer (search and read), support (also give payments to their
                            buyers, send a delivery again), finance (also give money back, but not give payments),
                            operator (also release, set aside, retry, audit), admin (everything; also without a role)
        --may-credit        a secret key may give users units without a payment, within [[app.credit]]
        --may-give-entitlements  a secret key may give users entitlements until a date without a payment
        --may-erase         a secret key may erase users
        --expires WHEN      a number of days (90d), or a moment (2027-01-31T00:00:00Z); otherwise it never expires
        --app ID            needed when there are several apps
      \(ServerFlags.usage)

      Exit codes: 0 done, 1 no such key, or the server did not answer, 2 wrong usage.

      """,
    valued: ["kind", "label", "app", "role", "expires"] + ServerFlags.valued,
    flags: ["may-credit", "may-give-entitlements", "may-erase"], wordsMax: 2
  ) { options, platform in
    switch options.words.first {
    case "create", "list":
      if options.words.count > 1 { throw UsageError("\(options.words[1]) is not understood.") }
    default: break
    }
    switch options.words.first {
    case "create": return try await create(options, platform)
    case "list": return try await list(options, platform)
    case "revoke": return try await revoke(options, platform)
    default: throw UsageError("one of `keys create`, `keys list` and `keys revoke` is needed.")
    }
  }

  private static func app(_ options: Options, _ apps: [AppIdentifier]) throws -> AppIdentifier {
    let named = try options.one("app").map { AppIdentifier($0) }
    guard let app = named ?? (apps.count == 1 ? apps.first : nil), apps.contains(app) else {
      throw UsageError("--app is one of \(apps.map(\.text).joined(separator: ", ")).")
    }
    return app
  }

  private static func create(_ options: Options, _ platform: Platform) async throws -> Int32 {
    guard let kind = try options.one("kind").flatMap({ APIKey.Kind(rawValue: $0) }) else {
      throw UsageError("--kind is one of \(APIKey.Kind.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    guard let label = try options.one("label"), !label.isEmpty else { throw UsageError("--label is needed.") }
    let rights = try KeyRights(options, kind, at: platform.dependencies.now())
    let configuration = try await ChosenConfiguration.of(options, platform)
    let app = try app(options, configuration.apps.map(\.id))
    let made = try await made(kind, app, label: label, with: rights, configuration: configuration, platform: platform)
    if options.has("json") {
      platform.print(
        JSONValue.members([
          ("key", .string(made.text)), ("id", .string(made.id)), ("app", .string(app.text)),
          ("kind", .string(kind.rawValue)), ("role", rights.role.map { .string($0.rawValue) }),
          ("expiresAt", rights.expiresAt.map { .string($0.iso8601) }),
        ]).text + "\n")
    } else {
      platform.print("\(made.text)\n")
      platform.printError("It is shown this once. Its id is \(made.id); revoke it with `counterfoil keys revoke`.\n")
    }
    if kind == .operator, rights.role == nil {
      platform.printError(KeyLine.withoutRole[CommandLineProgram.language(platform)])
    }
    return ExitCode.done
  }

  /// Creates a key through the server that runs over the database; without a server, in the database itself.
  private static func made(
    _ kind: APIKey.Kind, _ app: AppIdentifier, label: String, with rights: KeyRights,
    configuration: ServerConfiguration, platform: Platform
  ) async throws -> (text: String, id: String) {
    if let running = try await RunningServer.over(configuration.database, platform) {
      let body = JSONValue.members([
        ("kind", .string(kind.rawValue)), ("label", .string(label)), ("role", rights.role.map { .string($0.rawValue) }),
        ("expiresAt", rights.expiresAt.map { .string($0.iso8601) }),
        ("mayCredit", rights.mayCredit ? .bool(true) : nil),
        ("mayGiveEntitlements", rights.mayGiveEntitlements ? .bool(true) : nil),
        ("mayErase", rights.mayErase ? .bool(true) : nil),
      ])
      let answer = try await running.ask(
        "POST", "/v1/operator/keys", body: body, app: app, language: CommandLineProgram.language(platform))
      guard answer.status == 201, let text = answer.json["key"]?.string, let id = answer.json["id"]?.string else {
        throw RunningServer.failure(answer.json)
      }
      return (text, id)
    }
    let assembly = try await ServerAssembly.open(configuration, holder: "counterfoil keys", platform)
    do {
      let engine = assembly.engine
      let host = AccountsCommand.host(platform)
      let made = try await engine.performOnHost("key.create", on: nil, of: app, by: host) {
        try await engine.createKey(
          kind, for: app, label: label, role: rights.role, expiresAt: rights.expiresAt, mayCredit: rights.mayCredit,
          mayGiveEntitlements: rights.mayGiveEntitlements, mayErase: rights.mayErase)
      }
      await assembly.database.close()
      return (made.text, made.key.id.text)
    } catch {
      await assembly.database.close()
      throw error
    }
  }

  private static func list(_ options: Options, _ platform: Platform) async throws -> Int32 {
    let database = try await ReportedDatabase.reading(options, platform)
    let named = try options.one("app")
    let now = platform.dependencies.now()
    var isWithoutRole = false
    for app in database.apps where named == nil || app.id.text == named {
      let id = app.id
      for key in try await database.reader.read({ try $0.apiKeys(of: id) }) {
        platform.print((options.has("json") ? KeyLine.json(key).text : KeyLine.text(key, at: now)) + "\n")
        let isValid = key.revokedAt == nil && !key.isExpired(at: now)
        if key.kind == .operator, key.role == nil, isValid { isWithoutRole = true }
      }
    }
    if isWithoutRole { platform.printError(KeyLine.withoutRole[CommandLineProgram.language(platform)]) }
    return ExitCode.done
  }

  private static func revoke(_ options: Options, _ platform: Platform) async throws -> Int32 {
    guard options.words.count == 2 else { throw UsageError("the id of one key is needed; `keys list` shows them.") }
    let configuration = try await ChosenConfiguration.of(options, platform)
    let id = CredentialIdentifier(options.words[1])
    if let running = try await RunningServer.over(configuration.database, platform) {
      try await revoke(id, of: configuration.apps.map(\.id), running, platform: platform)
    } else {
      let assembly = try await ServerAssembly.open(configuration, holder: "counterfoil keys", platform)
      let engine = assembly.engine
      let host = AccountsCommand.host(platform)
      do {
        _ = try await engine.performOnHost("key.revoke", on: ("key", id.text), of: nil, by: host) {
          try await engine.revokeKey(id, of: nil)
        }
      } catch {
        await assembly.database.close()
        throw error
      }
      await assembly.database.close()
    }
    platform.print("\(id) is revoked.\n")
    return ExitCode.done
  }

  /// Each app knows only its own keys; if no app has this key, the last answer says so.
  private static func revoke(
    _ id: CredentialIdentifier, of apps: [AppIdentifier], _ running: RunningServer, platform: Platform
  ) async throws {
    // Text with other characters is not a key, and would not stay one segment of a path.
    let isOne = id.text.utf8.allSatisfy { $0 == 0x5F || (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    guard isOne, !id.text.isEmpty else { throw CodedError<EngineErrorCode>(.keyUnknown) }
    var last = JSONValue.null
    for app in apps {
      let answer = try await running.ask(
        "POST", "/v1/operator/keys/\(id)/revoke", app: app, language: CommandLineProgram.language(platform))
      if answer.status == 200 { return }
      last = answer.json
    }
    throw RunningServer.failure(last)
  }
}
