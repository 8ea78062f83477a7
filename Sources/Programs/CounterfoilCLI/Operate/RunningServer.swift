import HTTPMessages
import PaymentPrimitives
import ServerConfiguration
import StrictJSON

/// The server that runs over a database on this machine. It is found by the file that it writes beside the database.
struct RunningServer {
  private static let bytesMax = 1 << 20
  private static let timeLimit = TimeSpan.seconds(30)

  private let address: String
  private let keys: [AppIdentifier: String]
  /// Where browsers reach its console; nil if it has none.
  let console: String?
  private let exchange: HTTPExchange

  /// The server over a database; nil if none runs. A file that a killed server left behind does not count. A database
  /// on PostgreSQL needs none: every command may open it beside its servers.
  static func over(_ database: DatabaseLocation, _ platform: Platform) async throws -> RunningServer? {
    guard let path = database.file, let bytes = try platform.files.read(LocalAccess.file(of: path), bytesMax),
      let json = try? JSONReader.read(bytes), let address = json["address"]?.string
    else { return nil }
    var keys: [AppIdentifier: String] = [:]
    for entry in json["keys"]?.array ?? [] {
      if let app = entry["app"]?.string { keys[AppIdentifier(app)] = entry["key"]?.string }
    }
    guard let any = keys.min(by: { $0.key < $1.key })?.value else { return nil }
    let server = RunningServer(
      address: address, keys: keys, console: json["console"]?.string, exchange: try platform.exchange(.anywhere))
    let probe = try? await server.send("GET", "/v1/operator/keys", body: nil, key: any)
    return probe?.status == 200 ? server : nil
  }

  /// Calls an operator route for an app.
  ///
  /// - Throws: `CommandFailure` if no answer came: the server may still have done the work.
  func ask(
    _ method: String, _ path: String, body: JSONValue? = nil, app: AppIdentifier, language: Language
  ) async throws -> (status: Int, json: JSONValue) {
    guard let key = keys[app] else {
      let words = BilingualText(
        "The running server does not know the app \(app): it was started with an earlier configuration. Restart it.",
        "正在运行的服务器不认识应用 \(app)：它使用的是较早的配置。请重新启动服务器。")
      throw CommandFailure(words[language])
    }
    let response: HTTPResponse
    do { response = try await send(method, path, body: body, key: key) } catch {
      guard method != "GET" else {
        throw CommandFailure(
          BilingualText("The running server did not answer (\(error)).", "正在运行的服务器没有应答（\(error)）。")[language])
      }
      let words = BilingualText(
        "The running server did not answer (\(error)), but may have done it. `counterfoil keys list` shows the keys.",
        "正在运行的服务器没有应答（\(error)），但操作可能已经完成。请用 `counterfoil keys list` 确认。")
      throw CommandFailure(words[language])
    }
    return (response.status, (try? JSONReader.read(response.body)) ?? .null)
  }

  /// Hands over a change of the operator accounts, which belong to no app.
  func ask(_ request: AccountRequest, by host: String) async throws -> (status: Int, json: JSONValue) {
    guard let key = keys.min(by: { $0.key < $1.key })?.value, case .object(let members) = request.json else {
      throw CommandFailure("The running server has no app.")
    }
    let body = JSONValue.object(members + [JSONMember("host", .string(host))])
    do {
      let response = try await send("POST", AccountRequest.path, body: body, key: key)
      return (response.status, (try? JSONReader.read(response.body)) ?? .null)
    } catch { throw CommandFailure("The running server did not answer (\(error)), but may have done it.") }
  }

  /// The server's error, with the server's own text.
  static func failure(_ answer: JSONValue) -> CommandFailure {
    let words = [answer["title"], answer["detail"], answer["remedy"]].compactMap { $0?.string }
    let code = answer["code"]?.string.map { " (\($0))" } ?? ""
    return CommandFailure(words.isEmpty ? "The running server refused it." : words.joined(separator: " ") + code)
  }

  private func send(
    _ method: String, _ path: String, body: JSONValue?, key: String
  ) async throws(HTTPExchangeError) -> HTTPResponse {
    var request = HTTPRequest(method, address + path, fields: ["Authorization": "Bearer " + key])
    if let body {
      request.body = body.bytes
      request.fields.set("Content-Type", "application/json")
    }
    return try await exchange.send(request, Self.timeLimit)
  }
}
