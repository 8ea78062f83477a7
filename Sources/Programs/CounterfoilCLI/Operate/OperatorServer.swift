import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import ServerConfiguration
import StrictJSON

/// The server that a reading command asks: the one that runs over the database here, or the one that `--server` names.
enum OperatorServer {
  case here(RunningServer, apps: [AppIdentifier])
  case elsewhere(url: String, key: String, HTTPExchange)

  static let valued = ServerFlags.valued + ["app", "server"]

  /// The explanation of its options in usage texts.
  static let usage = """
      --server URL        ask the running server at that address, with an operator's key in COUNTERFOIL_OPERATOR_KEY;
                          otherwise the server that runs over the database on this machine is asked
      --app ID            only that app's, where this machine's server has several
    \(ServerFlags.usage)
      --json              the server's answer as JSON
    """

  private static let answerBytesMax = 16 << 20
  private static let timeLimit = TimeSpan.seconds(30)

  static func of(_ options: Options, _ platform: Platform) async throws -> OperatorServer {
    let named = try options.one("app").map { AppIdentifier($0) }
    if let url = try options.one("server") {
      guard named == nil else { throw UsageError("--app is not for --server: the key belongs to one app.") }
      guard let key = platform.environment("COUNTERFOIL_OPERATOR_KEY"), !key.isEmpty else {
        throw UsageError("--server needs an operator's key in COUNTERFOIL_OPERATOR_KEY.")
      }
      return .elsewhere(url: url, key: key, try platform.exchange(.anywhere))
    }
    let configuration = try await ChosenConfiguration.of(options, platform)
    let apps = configuration.apps.map(\.id).filter { named == nil || $0 == named }
    guard !apps.isEmpty else { throw UsageError("No app of that id is configured.") }
    guard let running = try await RunningServer.over(configuration.database, platform) else {
      let name = configuration.database.name
      let words =
        configuration.database.file == nil
        ? BilingualText(
          "the database \(name) may have servers on any machine. Name one with --server.",
          "数据库 \(name) 的服务器可能在任何机器上。请用 --server 指定。")
        : BilingualText(
          "no server runs over \(name) on this machine. Start it, or name one with --server.",
          "本机没有服务器正在使用 \(name)。请先启动，或用 --server 指定。")
      throw CommandFailure(words[CommandLineProgram.language(platform)])
    }
    return .here(running, apps: apps)
  }

  /// The answers to a call: one from each app that is asked. A call with a body is a POST.
  ///
  /// - Parameter isMissing: whether an app may answer that it has no such thing. If none has it, that answer is thrown.
  func answers(
    to path: String, sending body: JSONValue? = nil, isMissing: (JSONValue) -> Bool, _ language: Language
  ) async throws -> [JSONValue] {
    let method = body == nil ? "GET" : "POST"
    var answers: [JSONValue] = []
    var last: CommandFailure?
    func take(_ answer: (status: Int, json: JSONValue)) throws {
      if (200...201).contains(answer.status) { return answers.append(answer.json) }
      let failure = RunningServer.failure(answer.json)
      guard isMissing(answer.json) else { throw failure }
      last = failure
    }
    switch self {
    case .here(let server, let apps):
      for app in apps { try take(try await server.ask(method, path, body: body, app: app, language: language)) }
    case .elsewhere(let url, let key, let exchange):
      var request = HTTPRequest(method, url + path, fields: ["Authorization": "Bearer " + key])
      if let body {
        request.body = body.bytes
        request.fields.set("Content-Type", "application/json")
      }
      try take(try await Self.ask(request, at: url, over: exchange))
    }
    if answers.isEmpty, let last { throw last }
    return answers
  }

  private static func ask(
    _ request: HTTPRequest, at url: String, over exchange: HTTPExchange
  ) async throws -> (status: Int, json: JSONValue) {
    let response: HTTPResponse
    do { response = try await exchange.send(request, timeLimit) } catch {
      throw CommandFailure("\(url) did not answer: \(error)")
    }
    let limits = JSONLimits(bytesMax: answerBytesMax, valuesMax: 1_000_000)
    return (response.status, (try? JSONReader.read(response.body, limits: limits)) ?? .null)
  }
}
