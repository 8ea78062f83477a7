import PaymentEngine
import PaymentPrimitives

extension Route {
  /// An error code that the route may answer with.
  struct PossibleError: Hashable, Sendable {
    let status: Int
    let code: String
    let meaning: String
  }

  /// All errors that the route may answer with, by status and code: the document lists them, and tests check them.
  var possibleErrors: [PossibleError] {
    var server: Set<ServerErrorCode> = [.targetUnreadable, .bodyTooLarge, .internal, .stopping]
    var engine = Set(documentation.codes)
    if !isProbe { server.insert(.tooManyRequests) }
    if !access.contains(.open) {
      server.formUnion([.credentialMissing, .credentialInvalid, .notAllowed, .tokenExpired, .keyExpired])
    }
    if access.contains(.operator) { server.insert(.roleNotAllowed) }
    if !takesAnyParameter || !takesAnyField { server.insert(.fieldUnknown) }
    if documentation.request != nil { server.formUnion([.bodyUnreadable, .fieldInvalid]) }
    if documentation.request != nil, !takesAnyMediaType { server.insert(.mediaTypeNotTaken) }
    if !documentation.query.isEmpty || !documentation.fields.isEmpty { server.insert(.fieldInvalid) }
    switch documentation.about {
    case .nobody: break
    case .maybeUser: server.formUnion([.userNotAllowed, .fieldInvalid])
    case .user: server.formUnion([.userNotAllowed, .fieldInvalid, .userMissing])
    }
    if documentation.usesStore || !access.contains(.open) {
      engine.formUnion([.storeUnavailable, .outcomeUnknown, .invariantBroken])
    }
    let all = server.map { Self.possible($0, $0.status) } + engine.map { Self.possible($0, $0.status) }
    return all.sorted { ($0.status, $0.code) < ($1.status, $1.code) }
  }

  private static func possible(_ code: some ErrorCode, _ status: Int) -> PossibleError {
    PossibleError(status: status, code: code.rawValue, meaning: code.meaning.english)
  }
}
