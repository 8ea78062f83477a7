import Cryptography
import PaymentDatabase
package import PaymentModel
import PaymentPrimitives

// Operators who sign in through an identity provider. Its token decides their roles each time (record 321).
extension PaymentEngine {
  /// A subject that cannot stand in a name is replaced by its digest, behind this word.
  private static let digestMark = "sha256-"
  private static let digestBytes = 20

  /// The account of a person at an identity provider. Another issuer, or another subject, never has the same one.
  package static func accountName(of identity: ProviderIdentity) -> OperatorName {
    let issuer = Array(SHA256.hash(identity.issuer)).hexadecimal
    let end = OperatorAccount.providerMark + String(issuer.prefix(OperatorAccount.issuerDigits))
    let subject = identity.subject
    let isPlain =
      OperatorAccount.isName(subject) && !subject.hasPrefix(digestMark)
      && subject.utf8.count + end.utf8.count <= OperatorAccount.nameBytesMax
    let digest = Array(SHA256.hash(subject).prefix(digestBytes)).hexadecimal
    return OperatorName((isPlain ? subject : digestMark + digest) + end)
  }

  /// Signs in with the verified token of an identity provider. The account gets the roles of the token; if these
  /// differ from the ones before, its other sessions end.
  ///
  /// - Parameter needsFactor: whether a second factor is demanded. One that was shown to the provider counts. Otherwise
  ///   the account must have one here, which a link sets up: a password that was stolen at the provider sets up none.
  /// - Returns: nil for a disabled account, for one without a role, and for one that lacks a second factor.
  package func signIn(
    as identity: ProviderIdentity, needsFactor: Bool, from visitor: SignInVisitor
  ) async throws -> SignInOutcome? {
    let name = Self.accountName(of: identity)
    let roles = identity.roles
    let asksFactor = needsFactor && !identity.hasSecondFactor
    let factors = try await asksFactor ? factors(of: name) : nil
    guard !roles.isEmpty, !asksFactor || !(factors?.isEmpty ?? true) else {
      let problem = roles.isEmpty ? "role_missing" : "factor_not_set_up"
      try await enterRefusal(providerAction("signIn.refused", identity, from: visitor), problem: problem) {
        _ = try Self.account(name, taking: roles, in: $0)
      }
      return nil
    }
    let token = newToken()
    let action = providerAction(
      asksFactor ? "signIn.provider" : "session.signIn", identity, from: visitor, key: token.digest)
    let isDone = try await openSession(action) { transaction in
      // An earlier run with an unknown outcome may have written it.
      if try transaction.consoleSession(digest: token.digest) != nil
        || transaction.pendingSignIn(digest: token.digest) != nil
      {
        return
      }
      let now = transaction.now
      guard let isChanged = try Self.account(name, taking: roles, in: transaction) else {
        throw CodedError<EngineErrorCode>(.actNotPossible, "The account is disabled.")
      }
      guard !asksFactor else {
        return try transaction.put(PendingSignIn(digest: token.digest, account: name, createdAt: now))
      }
      let session = ConsoleSession(
        digest: token.digest, account: name, createdAt: now, provedAt: Self.provedAt(identity, now))
      // With other roles all earlier sessions have ended, so none is above the limit.
      if isChanged { try transaction.put(session) } else { try Self.open(session, in: transaction) }
    }
    guard isDone else { return nil }
    return asksFactor ? .factorNeeded(token: token.text) : .signedIn(token: token.text)
  }

  /// When the person showed a second factor to the provider. A token that does not say it confirms no action.
  private static func provedAt(_ identity: ProviderIdentity, _ now: Timestamp) -> Timestamp {
    let never = now - ConsoleSession.proofMax
    return identity.hasSecondFactor ? min(identity.authenticatedAt ?? never, now) : never
  }

  /// Confirms a session with a token whose person has signed in to the provider again, lately.
  ///
  /// - Returns: the token of the session that follows; nil if the identity is another one, has other roles by now, or
  ///   was not proved within `ConsoleSession.proofMax`.
  package func prove(
    _ session: ConsoleSession, as identity: ProviderIdentity, from visitor: SignInVisitor
  ) async throws -> String? {
    let now = dependencies.now()
    let provedAt = Self.provedAt(identity, now)
    guard Self.accountName(of: identity) == session.account, now - provedAt < ConsoleSession.proofMax else {
      try await enterRefusal(
        signInAction("signIn.refused", of: session.account, from: visitor), problem: "identity_not_fresh")
      return nil
    }
    let token = newToken()
    let action = providerAction("session.prove", identity, from: visitor, key: token.digest)
    return try await openSession(action) { transaction in
      if try transaction.consoleSession(digest: token.digest) != nil { return }
      guard var current = try transaction.consoleSession(digest: session.digest), current.isValid(at: transaction.now),
        let account = try transaction.operatorAccount(session.account), account.disabledAt == nil,
        account.roles == identity.roles
      else { throw CodedError<EngineErrorCode>(.actNotPossible, "The session has ended, or its roles changed.") }
      current.endedAt = transaction.now
      try transaction.put(current)
      try transaction.put(current.proved(digest: token.digest, at: transaction.now, shownAt: provedAt))
    } ? token.text : nil
  }

  /// Enters that the token of an identity provider was not taken.
  package func refuseProviderToken(_ problem: String, from visitor: SignInVisitor) async throws {
    try await enterRefusal(signInAction("signIn.refused", of: nil, from: visitor), problem: problem)
  }

  /// An action of such an operator, with the name that the provider gave them.
  private func providerAction(
    _ name: String, _ identity: ProviderIdentity, from visitor: SignInVisitor, key: String? = nil
  ) -> ActionDescription {
    var action = signInAction(name, of: Self.accountName(of: identity), from: visitor, key: key)
    action.objectKind = "identity"
    action.object = identity.subject
    return action
  }

  /// Gives an account the roles of a token; makes it if it is new. With other roles than before its sessions end.
  ///
  /// - Returns: whether the roles changed; nil for a disabled account, which stays as it is.
  private static func account(
    _ name: OperatorName, taking roles: [AppIdentifier: OperatorRole], in transaction: any DatabaseTransaction
  ) throws -> Bool? {
    var account = try transaction.operatorAccount(name) ?? OperatorAccount(name: name, createdAt: transaction.now)
    guard account.disabledAt == nil else { return nil }
    guard account.roles != roles else { return false }
    try endSessions(of: name, in: transaction)
    account.roles = roles
    try transaction.put(account)
    return true
  }
}
