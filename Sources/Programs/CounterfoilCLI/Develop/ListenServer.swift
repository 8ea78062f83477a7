import HTTPMessages
import PaymentPrimitives
import ServerConfiguration
import StrictJSON

/// The server whose messages `counterfoil listen` forwards: the one on this machine, or another with a secret key.
enum ListenServer {
  case here(RunningServer, app: AppIdentifier)
  case elsewhere(url: String, key: String, HTTPExchange)

  private static let answerBytesMax = 16 << 20
  /// Longer than the longest wait of the feed.
  private static let timeLimit = TimeSpan.seconds(40)

  static func of(_ options: Options, _ platform: Platform) async throws -> ListenServer {
    guard let url = try options.one("server") else {
      let server = try await OperatorServer.of(options, platform)
      guard case .here(let running, let apps) = server, let app = apps.first else {
        throw UsageError("--server needs a secret key in COUNTERFOIL_SECRET_KEY.")
      }
      guard apps.count == 1 else { throw UsageError("This server has several apps. Name one with --app.") }
      return .here(running, app: app)
    }
    guard try options.one("app") == nil else {
      throw UsageError("--app is not for --server: the key belongs to one app.")
    }
    guard let key = platform.environment("COUNTERFOIL_SECRET_KEY"), !key.isEmpty else {
      throw UsageError("--server needs a secret key in COUNTERFOIL_SECRET_KEY.")
    }
    return .elsewhere(url: url, key: key, try platform.exchange(.anywhere))
  }

  /// What tells this app at this server from others; a key is never written down whole.
  var name: String {
    switch self {
    case .here(_, let app): "this machine \(app.text)"
    case .elsewhere(let url, let key, _): url + " " + key.prefix(16)
    }
  }

  /// The route that lists deliveries in order.
  var deliveries: String {
    switch self {
    case .here: "/v1/operator/deliveries"
    case .elsewhere: "/v1/deliveries"
    }
  }

  var mayAcknowledge: Bool {
    if case .elsewhere = self { true } else { false }
  }

  /// What became of a call.
  enum Answer {
    case json(JSONValue)
    /// No answer, or one that asks to come again later.
    case later(String)
  }

  /// - Throws: `CommandFailure` if the server refuses the call: it would refuse it again.
  func ask(_ method: String, _ path: String) async throws -> Answer {
    let (status, json): (Int, JSONValue)
    switch self {
    case .here(let server, let app):
      do { (status, json) = try await server.ask(method, path, app: app, language: .english) } catch {
        return .later("\(error)")
      }
    case .elsewhere(let url, let key, let exchange):
      let request = HTTPRequest(method, url + path, fields: ["Authorization": "Bearer " + key])
      let response: HTTPResponse
      do { response = try await exchange.send(request, Self.timeLimit) } catch HTTPExchangeError.cancelled {
        throw CancellationError()
      } catch {
        return .later("\(url) did not answer: \(error)")
      }
      let limits = JSONLimits(bytesMax: Self.answerBytesMax, valuesMax: 1_000_000)
      (status, json) = (response.status, (try? JSONReader.read(response.body, limits: limits)) ?? .null)
    }
    switch status {
    case 200: return .json(json)
    case 429, 500...: return .later("HTTP status \(status)")
    default:
      if json["code"]?.string == "event_unknown" { throw Self.placeUnknown }
      throw RunningServer.failure(json)
    }
  }

  private static let placeUnknown = CommandFailure(
    "The server does not know the place that was reached: its database was restored or replaced. Begin again with "
      + "--since and a moment before that.")
}
