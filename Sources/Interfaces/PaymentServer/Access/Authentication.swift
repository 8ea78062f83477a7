import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Identifies the caller: a user by their token, an app, backend or operator by a key. The credential also gives the
/// app.
struct Authentication {
  let server: PaymentServer

  init(_ server: PaymentServer) { self.server = server }

  /// Identifies the caller, and counts the call: against the user or key that was found, otherwise against the
  /// address. So a caller without a credential uses up nothing of callers who have one, even from the same address.
  func authenticate(_ call: inout Call, for route: Route) async throws {
    guard !route.access.contains(.open) else { return }
    if route.access.contains(.local), call.client.isThisMachine { return try count(call.peer) }
    let access: Route.Access
    do {
      let credential = try Self.bearer(call.request)
      if APIKeyText.looksLikeKey(credential) {
        access = try await authenticate(&call, key: credential)
      } else {
        access = try authenticate(&call, token: credential)
      }
    } catch let error as CodedError<ServerErrorCode> {
      try count(call.peer)
      // A wrong credential costs a signature check or a database read: a caller that sends many is slowed down early.
      if error.code == .credentialInvalid { server.rates.chargeForFailedCheck(call.peer, at: server.now) }
      throw error
    }
    try countCaller(&call)
    guard route.access.contains(access) else {
      throw CodedError<ServerErrorCode>(
        .notAllowed, "Allowed: \(route.access.map(\.rawValue).sorted().joined(separator: ", ")).")
    }
    if let role = call.role { try OperatorPermissions.check(role, for: route) }
  }

  /// Counts a call with a credential. An address is nobody's own, so it learns nothing of what is left of its rate.
  private func countCaller(_ call: inout Call) throws(CodedError<ServerErrorCode>) {
    guard let subject = call.rateSubject else { return try count(call.peer) }
    let standing = server.rates.take(subject, at: server.now)
    call.standing = standing
    guard standing.isAllowed else { throw CodedError(.tooManyRequests) }
  }

  private func count(_ subject: RateLimits.Subject) throws(CodedError<ServerErrorCode>) {
    guard server.rates.allows(subject, at: server.now) else { throw CodedError(.tooManyRequests) }
  }

  /// Allows an expensive check: while the address has a request left, otherwise from the reserve.
  ///
  /// - Returns: whether the reserve was used; a genuine credential gives it back.
  private func beginCheck(
    _ call: Call, _ reserve: RateLimits.Reserve
  ) throws(CodedError<ServerErrorCode>) -> Bool {
    if server.rates.hasRoom(call.peer, at: server.now) { return false }
    try count(.reserve(reserve))
    return true
  }

  /// The credential of a request. Two are refused: it is unclear which of them a gateway has checked.
  private static func bearer(_ request: HTTPRequest) throws(CodedError<ServerErrorCode>) -> String {
    let values = request.fields.values("Authorization")
    guard let value = values.first else { throw CodedError(.credentialMissing) }
    guard values.count == 1 else {
      throw CodedError(.credentialInvalid, "There are \(values.count) Authorization fields.")
    }
    guard value.utf8.count <= 8192 else {
      throw CodedError(.credentialInvalid, "The Authorization field is longer than 8,192 bytes.")
    }
    let trimmed = value.utf8.drop { $0 == 0x20 }
    let scheme = trimmed.prefix { $0 != 0x20 }
    guard String(scheme)?.lowercased() == "bearer" else {
      throw CodedError(.credentialMissing, "The scheme of Authorization is not Bearer.")
    }
    let rest = trimmed[scheme.endIndex...].drop { $0 == 0x20 }
    let credential = rest.prefix { $0 != 0x20 }
    guard !credential.isEmpty, rest[credential.endIndex...].allSatisfy({ $0 == 0x20 }) else {
      throw CodedError(.credentialInvalid, "Authorization is not one word after Bearer.")
    }
    guard let text = String(credential) else { throw CodedError(.credentialInvalid) }
    return text
  }

  private func authenticate(
    _ call: inout Call, key text: String
  ) async throws -> Route.Access {
    guard let key = try await key(text, call), let app = server.engine.apps[key.app] else {
      throw CodedError<ServerErrorCode>(.credentialInvalid, "No valid API key has that text.")
    }
    guard !key.isExpired(at: server.now) else { throw CodedError<ServerErrorCode>(.keyExpired) }
    call.app = app
    call.key = key.id
    switch key.kind {
    case .publishable:
      call.caller = .publishableKey
      return .publishable
    case .secret:
      call.caller = .backend(key.id)
      call.mayCredit = key.mayCredit
      call.mayGiveEntitlements = key.mayGiveEntitlements
      call.mayErase = key.mayErase
      return .backend
    case .operator:
      // Labels are free text: the id identifies the operator.
      call.operatorName = "\(key.label) (\(key.id))"
      call.role = key.effectiveRole
      return .operator
    }
  }

  private func key(_ text: String, _ call: Call) async throws -> APIKey? {
    let local = server.settings.localOperatorKeys.first { $0.id == APIKeyText.identifier(in: text) }
    if let local { return local.isShown(by: text) ? local : nil }
    let usesReserve = try !server.knownKeys.hasSeen(text: text) && beginCheck(call, .keys)
    let key = try await server.knownKeys.key(text: text, at: server.now, in: server.engine)
    if let key, key.kind == .operator { server.engine.noteUse(of: key) }
    if key != nil, usesReserve { server.rates.giveBack(.reserve(.keys), at: server.now) }
    return key
  }

  private func authenticate(
    _ call: inout Call, token text: String
  ) throws(CodedError<ServerErrorCode>) -> Route.Access {
    var usesReserve = false
    let token = try UserToken.verify(
      text, keys: server.tokenKeys.current, known: server.knownTokens, at: server.now
    ) { () throws(CodedError<ServerErrorCode>) in usesReserve = try beginCheck(call, .tokens) }
    if usesReserve { server.rates.giveBack(.reserve(.tokens), at: server.now) }
    guard let app = server.engine.apps[token.app] else {
      throw CodedError(.credentialInvalid, "The app of its key is not configured.")
    }
    call.app = app
    call.caller = .user(token.user)
    return .user
  }
}
