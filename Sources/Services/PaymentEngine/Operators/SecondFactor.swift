package import Cryptography
import PaymentDatabase
package import PaymentModel
import PaymentPrimitives

/// Who shows a second factor: a browser with a link, or one that is signed in and confirms what it does.
package enum FactorSubject: Hashable, Sendable {
  case pending(PendingSignIn)
  case session(ConsoleSession)

  package var account: OperatorName {
    switch self {
    case .pending(let pending): pending.account
    case .session(let session): session.account
    }
  }

  /// The digest of its token.
  package var digest: String {
    switch self {
    case .pending(let pending): pending.digest
    case .session(let session): session.digest
    }
  }

  /// What it is called in the audit log once its factor is right.
  var entry: String {
    switch self {
    case .pending: "session.signIn"
    case .session: "session.prove"
    }
  }

  func isValid(at now: Timestamp) -> Bool {
    switch self {
    case .pending(let pending): pending.isValid(at: now)
    case .session(let session): session.isValid(at: now)
    }
  }

  /// Itself as it is now; nil once it has ended.
  func current(in transaction: any DatabaseTransaction) throws -> FactorSubject? {
    let found: FactorSubject? =
      switch self {
      case .pending(let pending): try transaction.pendingSignIn(digest: pending.digest).map { .pending($0) }
      case .session(let session): try transaction.consoleSession(digest: session.digest).map { .session($0) }
      }
    return found.flatMap { $0.isValid(at: transaction.now) ? $0 : nil }
  }

  /// One more wrong code; with the last one it ends.
  func countWrongCode(in transaction: any DatabaseTransaction) throws {
    let now = transaction.now
    switch try current(in: transaction) {
    case .pending(var pending)?:
      pending.wrongCodes += 1
      if pending.wrongCodes >= PendingSignIn.wrongCodesMax { pending.endedAt = now }
      try transaction.put(pending)
    case .session(var session)?:
      session.wrongCodes += 1
      if session.wrongCodes >= PendingSignIn.wrongCodesMax { session.endedAt = now }
      try transaction.put(session)
    case nil: return
    }
  }

  /// Ends itself and opens the session that follows, under a new token.
  func succeed(token: String, in transaction: any DatabaseTransaction) throws {
    let now = transaction.now
    switch self {
    case .pending(var pending):
      try PaymentEngine.open(
        ConsoleSession(digest: token, account: pending.account, createdAt: now, provedAt: now), in: transaction)
      pending.endedAt = now
      try transaction.put(pending)
    case .session(var session):
      session.endedAt = now
      try transaction.put(session)
      try transaction.put(session.proved(digest: token, at: now))
    }
  }
}

/// The second factors of an account.
package struct OperatorFactors: Hashable, Sendable {
  package let account: OperatorAccount
  package let passkeys: [Passkey]

  /// Whether none is set up yet.
  package var isEmpty: Bool { account.codes == nil && passkeys.isEmpty }
}

extension PaymentEngine {
  /// A sign-in that waits for its second factor; nil for an unknown, ended or old one.
  package func pendingSignIn(token: String) async throws -> FactorSubject? {
    guard token.utf8.count == Self.codeLength else { return nil }
    let digest = APIKeyText.digest(of: token)
    guard let found = try await read({ try $0.pendingSignIn(digest: digest) }),
      found.isValid(at: dependencies.now())
    else { return nil }
    return .pending(found)
  }

  package func factors(of account: OperatorName) async throws -> OperatorFactors? {
    try await read { reader in
      guard let found = try reader.operatorAccount(account), found.disabledAt == nil else { return nil }
      return OperatorFactors(
        account: found, passkeys: try reader.passkeys(of: account, limit: Passkey.perAccountMax))
    }
  }

  /// The secret that a sign-in sets up, for the app on the operator's phone. The same sign-in shows the same one.
  package func newCodeSecret(for subject: FactorSubject) -> Secret {
    OneTimeCode.secret(of: subject.account, salt: subject.digest, installation: secret)
  }

  /// Takes a one-time code. The first one of an account without a factor sets its codes up.
  ///
  /// - Returns: the token of the session that follows; nil for a wrong code, and for a subject that has ended.
  package func prove(_ subject: FactorSubject, code: String, from visitor: SignInVisitor) async throws -> String? {
    guard let factors = try await factors(of: subject.account), subject.isValid(at: dependencies.now()) else {
      return nil
    }
    // Who has a passkey shows that: otherwise a link alone could set up new codes beside it.
    guard let salt = factors.account.codes?.salt ?? (factors.isEmpty ? subject.digest : nil) else {
      return try await refuse(subject, "codes_not_set_up", from: visitor)
    }
    let secret = OneTimeCode.secret(of: subject.account, salt: salt, installation: secret)
    guard let step = OneTimeCode.step(of: code, secret, at: dependencies.now()) else {
      return try await refuse(subject, "code_wrong", from: visitor)
    }
    let token = newToken()
    let setsUp = factors.account.codes == nil
    // The key of an entry is unique: so each code is taken once, on whichever server.
    let key = Array(SHA256.hash("code \(subject.account.text) \(salt) \(step)")).hexadecimal
    let action = signInAction(setsUp ? "codes.setUp" : subject.entry, of: subject.account, from: visitor, key: key)
    return try await openSession(
      action,
      { transaction in
        if try transaction.consoleSession(digest: token.digest) != nil { return }
        guard let current = try subject.current(in: transaction),
          var account = try transaction.operatorAccount(subject.account), account.disabledAt == nil,
          account.codes?.salt == (setsUp ? nil : salt),
          try !setsUp || transaction.passkeys(of: account.name, limit: 1).isEmpty
        else { throw CodedError<EngineErrorCode>(.actNotPossible, "The sign-in has ended, or its account changed.") }
        if setsUp {
          account.codes = CodeSetUp(salt: salt, since: transaction.now)
          try transaction.put(account)
        }
        try current.succeed(token: token.digest, in: transaction)
      }) ? token.text : try await refuse(subject, "code_used", from: visitor)
  }

  /// Counts a wrong code, and enters it, in one transaction.
  private func refuse(
    _ subject: FactorSubject, _ problem: String, from visitor: SignInVisitor
  ) async throws -> String? {
    let action = signInAction("signIn.refused", of: subject.account, from: visitor)
    try await enterRefusal(action, problem: problem) { try subject.countWrongCode(in: $0) }
    return nil
  }
}
