import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentVocabulary

/// Finds out who calls: a user by his token, an app or backend or operator by a key. The app is found from the credential.
struct Authentication {
  let server: PaymentServer

  init(_ server: PaymentServer) { self.server = server }

  func authenticate(_ call: inout Call, for route: Route) async throws {
    guard !route.access.contains(.open) else { return }
    guard let credential = Self.bearer(call.request) else {
      throw Refusal<ServerErrorCode>(.credentialMissing)
    }
    let access =
      if APIKeyText.identifier(in: credential) != nil {
        try await authenticate(&call, key: credential)
      } else {
        try authenticate(&call, token: credential)
      }
    guard route.access.contains(access) else {
      throw Refusal<ServerErrorCode>(
        .notAllowed, "Allowed: \(route.access.map(\.rawValue).sorted().joined(separator: ", ")).")
    }
  }

  private static func bearer(_ request: HTTPRequest) -> String? {
    let values = request.fields.values("Authorization")
    guard values.count == 1, let value = values.first, value.utf8.count <= 8192 else { return nil }
    let parts = value.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }

  private func authenticate(
    _ call: inout Call, key text: String
  ) async throws -> Route.Access {
    guard let key = try await server.engine.key(text: text),
      let app = server.engine.apps[key.app]
    else { throw Refusal<ServerErrorCode>(.credentialInvalid) }
    call.app = app
    switch key.kind {
    case .publishable:
      call.caller = .publishableKey
      return .publishable
    case .secret:
      call.caller = .backend(key.id)
      return .backend
    case .operator:
      call.operatorName = key.label
      return .operator
    }
  }

  private func authenticate(
    _ call: inout Call, token text: String
  ) throws(Refusal<ServerErrorCode>) -> Route.Access {
    let token = try UserToken.verify(
      text, keys: server.settings.userTokenKeys, at: server.surroundings.now())
    guard let app = server.engine.apps[token.app] else { throw Refusal(.credentialInvalid) }
    call.app = app
    call.caller = .user(token.user)
    return .user
  }
}
