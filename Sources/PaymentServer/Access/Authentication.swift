import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentVocabulary

/// Finds out who calls: a user by his token, an app or backend or operator by a key. The app is found from the
/// credential.
struct Authentication {
  let server: PaymentServer

  init(_ server: PaymentServer) { self.server = server }

  func authenticate(_ call: inout Call, for route: Route) async throws {
    guard !route.access.contains(.open) else { return }
    if route.access.contains(.local), call.client.isThisMachine { return }
    let access: Route.Access
    do {
      let credential = try Self.bearer(call.request)
      if APIKeyText.looksLikeKey(credential) {
        access = try await authenticate(&call, key: credential)
      } else {
        access = try authenticate(&call, token: credential)
      }
    } catch let refusal as Refusal<ServerErrorCode> {
      // A wrong credential costs us a signature check or a look at the database: whoever sends many is slowed down
      // early.
      if refusal.code == .credentialInvalid { server.rates.chargeForFailedCheck(call.peer, at: server.now) }
      throw refusal
    }
    guard route.access.contains(access) else {
      throw Refusal<ServerErrorCode>(
        .notAllowed, "Allowed: \(route.access.map(\.rawValue).sorted().joined(separator: ", ")).")
    }
  }

  /// The credential of a request: of two nobody can say which one a gateway has looked at.
  private static func bearer(_ request: HTTPRequest) throws(Refusal<ServerErrorCode>) -> String {
    let values = request.fields.values("Authorization")
    guard let value = values.first else { throw Refusal(.credentialMissing) }
    guard values.count == 1 else {
      throw Refusal(.credentialInvalid, "There are \(values.count) Authorization fields.")
    }
    guard value.utf8.count <= 8192 else {
      throw Refusal(.credentialInvalid, "The Authorization field is longer than 8,192 bytes.")
    }
    let parts = value.split(separator: " ", omittingEmptySubsequences: true)
    guard let scheme = parts.first, scheme.lowercased() == "bearer" else {
      throw Refusal(.credentialMissing, "The scheme of Authorization is not Bearer.")
    }
    guard parts.count == 2 else {
      throw Refusal(.credentialInvalid, "Authorization is not one word after Bearer.")
    }
    return String(parts[1])
  }

  private func authenticate(
    _ call: inout Call, key text: String
  ) async throws -> Route.Access {
    guard let key = try await key(text), let app = server.engine.apps[key.app] else {
      throw Refusal<ServerErrorCode>(.credentialInvalid, "No valid API key has that text.")
    }
    call.app = app
    call.key = key.id
    switch key.kind {
    case .publishable:
      call.caller = .publishableKey
      return .publishable
    case .secret:
      call.caller = .backend(key.id)
      return .backend
    case .operator:
      // Labels are free words: the id tells who it was.
      call.operatorName = "\(key.label) (\(key.id))"
      return .operator
    }
  }

  private func key(_ text: String) async throws -> APIKey? {
    let local = server.settings.localOperatorKeys.first { $0.id == APIKeyText.identifier(in: text) }
    if let local { return local.isShown(by: text) ? local : nil }
    return try await server.knownKeys.key(text: text, at: server.now, in: server.engine)
  }

  private func authenticate(
    _ call: inout Call, token text: String
  ) throws(Refusal<ServerErrorCode>) -> Route.Access {
    let token = try UserToken.verify(
      text, keys: server.settings.userTokenKeys, known: server.knownTokens, at: server.now)
    guard let app = server.engine.apps[token.app] else {
      throw Refusal(.credentialInvalid, "The app of its key is not configured.")
    }
    call.app = app
    call.caller = .user(token.user)
    return .user
  }
}
