import Console
import CounterfoilCLI
package import HTTPMessages
import Markup
package import PaymentPrimitives
import SimulationKit
import StrictJSON
import Synchronization

/// The page of `counterfoil-lab run` on which a person buys, refunds, complains, moves the clock, breaks things and
/// plays the scenarios. It works without a script.
///
/// Like the control API it checks no credential, and is bound to this machine. But a page of another site could send a
/// browser's form here: so only forms of this page itself are taken, under the name of this machine alone.
package struct SimulatorPage: Sendable {
  static let path = ["simulator", "page"]

  let server: @Sendable (HTTPRequest) async -> HTTPResponse
  let control: @Sendable (HTTPRequest) async -> HTTPResponse
  let secretKey: String
  let dependencies: Dependencies

  /// A page over a server and its simulators, each as a function of requests.
  package init(
    server: @escaping @Sendable (HTTPRequest) async -> HTTPResponse,
    control: @escaping @Sendable (HTTPRequest) async -> HTTPResponse, secretKey: String, dependencies: Dependencies
  ) {
    (self.server, self.control, self.secretKey, self.dependencies) = (server, control, secretKey, dependencies)
  }

  static func answers(_ request: HTTPRequest) -> Bool {
    RequestTarget(request.target)?.path.starts(with: path) ?? false
  }

  package func respond(to request: HTTPRequest) async -> HTTPResponse {
    var response = await answer(request)
    response.fields.set("Cache-Control", "no-store")
    response.fields.set("X-Content-Type-Options", "nosniff")
    response.fields.set("Referrer-Policy", "same-origin")
    response.fields.set(
      "Content-Security-Policy",
      "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
    return response
  }

  private func answer(_ request: HTTPRequest) async -> HTTPResponse {
    let language = Self.language(of: request)
    guard let host = request.fields["Host"], Self.isThisMachine(host) else {
      return HTTPResponse(status: 421, fields: ["Content-Type": "text/plain"], body: Array("Call this machine.\n".utf8))
    }
    let path = RequestTarget(request.target)?.path ?? []
    if request.method == "GET", path == Self.path + ["style.css"] {
      return HTTPResponse(
        status: 200, fields: ["Content-Type": "text/css; charset=utf-8"], body: Array(ConsoleStyles.text.utf8))
    }
    guard path == Self.path else { return HTTPResponse(status: 404) }
    switch request.method {
    case "GET": return await page(nil, language)
    case "POST":
      guard request.fields.values("Origin") == ["http://" + host], let form = WebForm(request) else {
        return HTTPResponse(status: 403, fields: ["Content-Type": "text/plain"], body: Array("Open the page.\n".utf8))
      }
      var said = SimulatorPageActs.Said()
      do { said = try await SimulatorPageActs(page: self, language: language).act(form) } catch {
        said.text = "\(error)"
        said.isGood = false
      }
      return await page(said, language)
    default: return HTTPResponse(status: 405, fields: ["Allow": "GET, POST"])
    }
  }

  /// `localhost` or `127.0.0.1`, with a port: another name could be that of a foreign site (DNS rebinding).
  static func isThisMachine(_ host: String) -> Bool {
    let name = host.split(separator: ":", maxSplits: 1).first.map(String.init) ?? ""
    return ["localhost", "127.0.0.1"].contains(name)
  }

  private static func language(of request: HTTPRequest) -> Language {
    let chosen = RequestTarget(request.target)?["language"].flatMap(Language.init(rawValue:))
    let wished = (request.fields["Accept-Language"] ?? "").lowercased().hasPrefix("zh") ? Language.chinese : .english
    return chosen ?? wished
  }

  private func page(_ said: SimulatorPageActs.Said?, _ language: Language) async -> HTTPResponse {
    let state = await SimulatorPageState.read(self)
    let body = SimulatorPageMarkup(state: state, said: said, language: language).document
    return HTTPResponse(status: 200, fields: ["Content-Type": "text/html; charset=utf-8"], body: body)
  }

  // MARK: calls

  /// Calls the control API of a simulator.
  func ask(_ method: String, _ target: String, sending body: JSONValue? = nil) async throws -> JSONValue {
    var request = HTTPRequest(method, "/simulator" + target)
    if let body { request.body = body.bytes }
    return try Self.json(await control(request), of: method + " " + target)
  }

  /// Calls the server as the app's backend does.
  func askServer(
    _ method: String, _ target: String, sending body: JSONValue? = nil, fields: HTTPFields = [:]
  ) async throws -> JSONValue {
    var request = HTTPRequest(method, target, fields: fields)
    request.fields.set("Authorization", "Bearer " + secretKey)
    if let body {
      request.body = body.bytes
      request.fields.set("Content-Type", "application/json")
    }
    return try Self.json(await server(request), of: method + " " + target)
  }

  private static func json(_ response: HTTPResponse, of call: String) throws -> JSONValue {
    let json = (try? JSONReader.read(response.body, limits: JSONLimits(bytesMax: 4 << 20))) ?? .null
    guard (200...299).contains(response.status) else {
      let words = [json["title"], json["detail"], json["remedy"], json["error"], json["message"]]
        .compactMap { $0?.string }
      throw CommandFailure("\(call): \(response.status). " + words.joined(separator: " "))
    }
    return json
  }

  /// Both, as `trigger --server` calls them.
  var exchange: HTTPExchange {
    HTTPExchange { request, _ throws(HTTPExchangeError) in
      var request = request
      for (prefix, answer) in [(Self.serverOrigin, server), (Self.simulatorOrigin, control)]
      where request.target.hasPrefix(prefix) {
        request.target = String(request.target.dropFirst(prefix.count))
        return await answer(request)
      }
      throw .refusedTarget(request.target)
    }
  }

  static let serverOrigin = "http://server"
  static let simulatorOrigin = "http://simulator"
}

/// The page, which is there once the server is.
final class LateSimulatorPage: Sendable {
  private let page = Mutex<SimulatorPage?>(nil)

  func open(_ page: SimulatorPage) { self.page.withLock { $0 = page } }

  func respond(to request: HTTPRequest) async -> HTTPResponse {
    guard let page = page.withLock({ $0 }) else { return HTTPResponse(status: 503, fields: ["Retry-After": "1"]) }
    return await page.respond(to: request)
  }
}
