import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// A change of the operator accounts. A command performs it on the database, or hands it to the running server.
enum AccountRequest {
  case setRole(OperatorRole?, of: OperatorName, in: AppIdentifier)
  case disable(OperatorName)
  case reset(OperatorName)
  case link(OperatorName)

  /// Where the running server takes it, on this machine alone.
  static let path = "/local/accounts"
  private static let bytesMax = 4096

  var json: JSONValue {
    switch self {
    case .setRole(let role, let name, let app):
      .members([
        ("do", "setRole"), ("name", .string(name.text)), ("app", .string(app.text)),
        ("role", role.map { .string($0.rawValue) }),
      ])
    case .disable(let name): .members([("do", "disable"), ("name", .string(name.text))])
    case .reset(let name): .members([("do", "reset"), ("name", .string(name.text))])
    case .link(let name): .members([("do", "link"), ("name", .string(name.text))])
    }
  }

  private init?(_ json: JSONValue) {
    guard let text = json["name"]?.string, OperatorAccount.isName(text) else { return nil }
    let name = OperatorName(text)
    switch json["do"]?.string {
    case "setRole":
      guard let app = json["app"]?.string else { return nil }
      let role = json["role"]?.string
      let known = role.flatMap(OperatorRole.init(rawValue:))
      guard role == nil || known != nil else { return nil }
      self = .setRole(known, of: name, in: AppIdentifier(app))
    case "disable": self = .disable(name)
    case "reset": self = .reset(name)
    case "link": self = .link(name)
    default: return nil
    }
  }

  /// Does it.
  ///
  /// - Parameter host: the user of this machine.
  /// - Returns: the account, or the code of a link; nil if there is no such account.
  func perform(_ engine: PaymentEngine, by host: String) async throws -> JSONValue? {
    switch self {
    case .setRole(let role, let name, let app):
      AccountLine.json(try await engine.setRole(role, of: name, in: app, by: host))
    case .disable(let name): try await engine.disableAccount(name, by: host).map { AccountLine.json($0) }
    case .reset(let name): try await engine.resetFactors(of: name, by: host).map { AccountLine.json($0) }
    case .link(let name):
      try await engine.makeSignInLink(for: name, by: host).map { .members([("code", .string($0))]) }
    }
  }

  /// Answers a command on this machine that has read the file beside the database.
  static func respond(
    to request: HTTPRequest, _ engine: PaymentEngine, keys: [String]
  ) async -> HTTPResponse {
    let shown = Array((request.fields["Authorization"] ?? "").utf8)
    guard request.method == "POST", keys.contains(where: { ConstantTime.isEqual(Array("Bearer \($0)".utf8), shown) })
    else { return HTTPResponse(status: 403) }
    guard request.body.count <= bytesMax, let json = try? JSONReader.read(request.body),
      let asked = AccountRequest(json)
    else { return HTTPResponse(status: 400) }
    do {
      guard let answer = try await asked.perform(engine, by: json["host"]?.string ?? "unknown") else {
        return HTTPResponse(status: 404)
      }
      return HTTPResponse(status: 200, json: answer)
    } catch { return HTTPResponse(status: 503) }
  }
}

/// How an account is printed.
enum AccountLine {
  static func json(_ account: OperatorAccount) -> JSONValue {
    .members([
      ("name", .string(account.name.text)),
      (
        "roles",
        .array(
          account.roles.sorted { $0.key < $1.key }.map { app, role in
            .members([("app", .string(app.text)), ("role", .string(role.rawValue))])
          })
      ), ("createdAt", .string(account.createdAt.iso8601)),
      ("disabledAt", account.disabledAt.map { .string($0.iso8601) }),
    ])
  }

  static func text(_ account: OperatorAccount) -> String {
    let roles = account.roles.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.rawValue)" }
    return TerminalText.line(account.name.text) + "  " + (roles.isEmpty ? "no role" : roles.joined(separator: " "))
      + (account.disabledAt.map { "  disabled \($0.iso8601)" } ?? "")
  }
}
