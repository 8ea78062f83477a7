import Cryptography
import PaymentDatabase
package import PaymentModel
import PaymentPrimitives

/// A signed-in operator.
package struct SignedInOperator: Hashable, Sendable {
  package let account: OperatorAccount
  package let session: ConsoleSession
}

/// The browser that a sign-in comes from, for the audit log.
package struct SignInVisitor: Hashable, Sendable {
  package let address: String
  package let requestId: String

  package init(address: String, requestId: String) {
    self.address = address
    self.requestId = requestId
  }
}

/// What a link leads to; each with the token of a new cookie.
package enum SignInOutcome: Hashable, Sendable {
  case signedIn(token: String)
  /// A second factor is shown or set up next.
  case factorNeeded(token: String)
}

extension PaymentEngine {
  /// The length of a code and of a token: 32 random bytes in Base64URL.
  package static let codeLength = 43

  func newToken() -> (text: String, digest: String) {
    let text = Base64URL.encode(dependencies.randomBytes(32))
    return (text, APIKeyText.digest(of: text))
  }

  /// An action of somebody who signs in.
  func signInAction(
    _ name: String, of account: OperatorName?, from visitor: SignInVisitor, key: String? = nil
  ) -> ActionDescription {
    var action = ActionDescription(
      name, by: account == nil ? .unidentified : .account, account?.text ?? "unidentified",
      key: key ?? dependencies.randomBytes(16).hexadecimal)
    action.address = visitor.address
    action.requestId = visitor.requestId
    return action
  }

  /// Signs in with the code of a link.
  ///
  /// - Parameter needsFactor: whether a second factor is demanded.
  /// - Returns: nil for a code that is unknown, used or too old, and for a disabled account. The caller learns no
  ///   difference.
  package func signIn(
    code: String, needsFactor: Bool, from visitor: SignInVisitor
  ) async throws -> SignInOutcome? {
    let token = newToken()
    let link = APIKeyText.digest(of: code)
    guard code.utf8.count == Self.codeLength, let found = try await read({ try $0.signInLink(digest: link) }) else {
      try await enterRefusal(signInAction("signIn.refused", of: nil, from: visitor), problem: "link_unknown")
      return nil
    }
    let action = signInAction(
      needsFactor ? "signIn.link" : "session.signIn", of: found.account, from: visitor, key: token.digest)
    let result: ActionResult<OperatorAccount?>
    do {
      result = try await perform(action) { [self] in
        try await transact { try Self.redeem(link, for: token.digest, needsFactor: needsFactor, in: $0) }
      }
    } catch let error as CodedError<EngineErrorCode> where error.code == .actNotPossible { return nil }
    guard case .done(.some) = result else { return nil }
    return needsFactor ? .factorNeeded(token: token.text) : .signedIn(token: token.text)
  }

  private static func redeem(
    _ digest: String, for token: String, needsFactor: Bool, in transaction: any DatabaseTransaction
  ) throws -> OperatorAccount? {
    guard var link = try transaction.signInLink(digest: digest),
      let account = try transaction.operatorAccount(link.account), account.disabledAt == nil
    else { throw CodedError<EngineErrorCode>(.actNotPossible, "The account is disabled.") }
    // An earlier run with an unknown outcome may have written it.
    if try transaction.consoleSession(digest: token) != nil || transaction.pendingSignIn(digest: token) != nil {
      return account
    }
    guard link.isUsable(at: transaction.now) else {
      throw CodedError<EngineErrorCode>(.actNotPossible, "The link was used, or is too old.")
    }
    let now = transaction.now
    if needsFactor {
      try transaction.put(PendingSignIn(digest: token, account: account.name, createdAt: now))
    } else {
      try open(ConsoleSession(digest: token, account: account.name, createdAt: now, provedAt: now), in: transaction)
    }
    link.usedAt = now
    try transaction.put(link)
    return account
  }

  /// Adds a session; the oldest one above the limit ends.
  static func open(_ session: ConsoleSession, in transaction: any DatabaseTransaction) throws {
    let now = transaction.now
    var kept = 1
    for var other in try transaction.consoleSessions(of: session.account, limit: sessionsRead) {
      if other.isValid(at: now), kept < ConsoleSession.perAccountMax {
        kept += 1
      } else {
        other.endedAt = now
        try transaction.put(other)
      }
    }
    try transaction.put(session)
  }

  /// More than an account can have open, so that some above the limit are found and ended.
  private static let sessionsRead = 50

  /// The operator whose session has that token, if it is valid; notes the call.
  package func signedInOperator(token: String) async throws -> SignedInOperator? {
    guard token.utf8.count == Self.codeLength else { return nil }
    let digest = APIKeyText.digest(of: token)
    let found = try await readBriefly { reader -> SignedInOperator? in
      guard let session = try reader.consoleSession(digest: digest),
        let account = try reader.operatorAccount(session.account)
      else { return nil }
      return SignedInOperator(account: account, session: session)
    }
    let now = dependencies.now()
    guard let found, found.session.isValid(at: now), found.account.disabledAt == nil else { return nil }
    if now - found.session.seenAt >= ConsoleSession.seenPrecision {
      try await transact { transaction in
        guard var session = try transaction.consoleSession(digest: digest), session.endedAt == nil else { return }
        session.seenAt = max(session.seenAt, now)
        try transaction.put(session)
      }
    }
    return found
  }

  /// The valid sessions of an account, the newest first.
  package func sessions(of account: OperatorName) async throws -> [ConsoleSession] {
    let now = dependencies.now()
    return try await read { try $0.consoleSessions(of: account, limit: Self.sessionsRead) }
      .filter { $0.isValid(at: now) }
  }

  /// Ends a session.
  package func signOut(_ session: ConsoleSession, from visitor: SignInVisitor) async throws {
    let action = signInAction("session.signOut", of: session.account, from: visitor, key: "out " + session.digest)
    _ = try await perform(action) { [self] in
      try await transact { transaction in
        guard var session = try transaction.consoleSession(digest: session.digest), session.endedAt == nil else {
          return
        }
        session.endedAt = transaction.now
        try transaction.put(session)
      }
    }
  }

  /// Ends the sessions of an operator.
  ///
  /// - Parameter kept: a session that goes on; nil ends all.
  package func endSessions(
    of account: OperatorName, but kept: ConsoleSession?, _ action: ActionDescription
  ) async throws -> ActionResult<Void> {
    try await perform(action) { [self] in
      try await transact { try Self.endSessions(of: account, but: kept?.digest, in: $0) }
    }
  }

  static func endSessions(
    of account: OperatorName, but kept: String? = nil, in transaction: any DatabaseTransaction
  ) throws {
    let now = transaction.now
    for var session in try transaction.consoleSessions(of: account, limit: sessionsRead) where session.digest != kept {
      session.endedAt = now
      try transaction.put(session)
    }
  }

  /// A page of the audit log, the newest entries first.
  package func auditLog(before number: Int64?, limit: Int) async throws -> [AuditLogEntry] {
    try await read { try $0.auditLog(before: number, limit: limit) }
  }
}
