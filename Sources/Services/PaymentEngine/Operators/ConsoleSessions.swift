import Cryptography
import PaymentDatabase
package import PaymentModel
import PaymentPrimitives

/// A signed-in operator.
package struct SignedInOperator: Hashable, Sendable {
  package let account: OperatorAccount
  package let session: ConsoleSession
}

extension PaymentEngine {
  /// The length of a code and of a token: 32 random bytes in Base64URL.
  package static let codeLength = 43

  /// Signs in with the code of a link.
  ///
  /// - Returns: the token of the new session; nil for a code that is unknown, used or too old, and for a disabled
  ///   account. The caller learns no difference.
  package func signIn(
    code: String, address: String, requestId: String
  ) async throws -> (token: String, account: OperatorAccount)? {
    let token = Base64URL.encode(dependencies.randomBytes(32))
    let link = APIKeyText.digest(of: code)
    let session = APIKeyText.digest(of: token)
    guard code.utf8.count == Self.codeLength, let found = try await read({ try $0.signInLink(digest: link) }) else {
      log(LogEvent(.warning, "console.signInRefused", [("requestId", requestId)]))
      return nil
    }
    // One link signs in once, so its digest names the press.
    var action = ActionDescription("session.signIn", by: .account, found.account.text, key: session)
    action.address = address
    action.requestId = requestId
    let result = try await perform(action) { [self] in
      try await transact { try Self.redeem(link, for: session, in: $0) }
    }
    guard case .done(.some(let account)) = result else { return nil }
    return (token, account)
  }

  private static func redeem(
    _ digest: String, for session: String, in transaction: any DatabaseTransaction
  ) throws -> OperatorAccount? {
    guard var link = try transaction.signInLink(digest: digest),
      let account = try transaction.operatorAccount(link.account), account.disabledAt == nil
    else { return nil }
    // An earlier run with an unknown outcome may have written it.
    if try transaction.consoleSession(digest: session) != nil { return account }
    guard link.isUsable(at: transaction.now) else {
      throw CodedError<EngineErrorCode>(.actNotPossible, "The link was used, or is too old.")
    }
    link.usedAt = transaction.now
    try transaction.put(link)
    try transaction.put(ConsoleSession(digest: session, account: account.name, createdAt: transaction.now))
    return account
  }

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

  /// Ends a session.
  package func signOut(_ session: ConsoleSession, address: String, requestId: String) async throws {
    var action = ActionDescription(
      "session.signOut", by: .account, session.account.text, key: "out " + session.digest)
    action.address = address
    action.requestId = requestId
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

  /// A page of the audit log, the newest entries first.
  package func auditLog(before number: Int64?, limit: Int) async throws -> [AuditLogEntry] {
    try await read { try $0.auditLog(before: number, limit: limit) }
  }
}
