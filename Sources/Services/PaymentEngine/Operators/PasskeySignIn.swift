import Cryptography
package import Passkeys
import PaymentDatabase
package import PaymentModel
import PaymentPrimitives

/// What a browser is asked for.
package struct PasskeyRequest: Hashable, Sendable {
  package enum Purpose: String, Hashable, Sendable {
    /// Nobody is known yet.
    case signIn
    /// A second factor of somebody who has a link, or is signed in.
    case factor
    case register
  }

  package let purpose: Purpose
  /// Names the browser: the digest of its cookie. Another browser's answer is none.
  package let binding: String
  package let question: PasskeyQuestion
}

/// What a browser sends back.
package struct PasskeyAnswer: Hashable, Sendable {
  /// The id of the credential, in Base64URL.
  package let credential: String
  package let clientData: [UInt8]
  /// The data of the authenticator; for a new passkey its attestation.
  package let data: [UInt8]
  /// Empty for a new passkey.
  package let signature: [UInt8]

  package init(credential: String, clientData: [UInt8], data: [UInt8], signature: [UInt8]) {
    self.credential = credential
    self.clientData = clientData
    self.data = data
    self.signature = signature
  }
}

extension PaymentEngine {
  /// A new question for a browser.
  package func passkeyRequest(
    _ purpose: PasskeyRequest.Purpose, for binding: String, at origin: String
  ) -> PasskeyRequest {
    let challenge = PasskeyChallenge.make(purpose.rawValue, for: binding, at: dependencies.now(), key: secret)
    return PasskeyRequest(
      purpose: purpose, binding: binding, question: PasskeyQuestion(challenge: challenge, origin: origin))
  }

  /// The question that a browser says it was asked; nil if this installation did not ask it, or too long ago.
  package func passkeyRequest(
    _ purpose: PasskeyRequest.Purpose, for binding: String, at origin: String, challenge: [UInt8]
  ) -> PasskeyRequest? {
    guard
      PasskeyChallenge.isValid(challenge, purpose.rawValue, for: binding, at: dependencies.now(), key: secret)
    else { return nil }
    return PasskeyRequest(
      purpose: purpose, binding: binding, question: PasskeyQuestion(challenge: challenge, origin: origin))
  }

  /// What an authenticator calls the account: it tells nobody its name.
  package func passkeyUser(_ account: OperatorName) -> [UInt8] {
    Array(HMACSHA256.code(for: Array("counterfoil passkey user \(account.text)".utf8), key: secret).prefix(16))
  }

  /// Signs in with a passkey, or shows one as a second factor.
  ///
  /// - Parameter subject: who shows it; nil for somebody who signs in with it alone.
  /// - Returns: the token of the session that follows; nil if the answer is not taken.
  package func prove(
    _ subject: FactorSubject?, _ answer: PasskeyAnswer, to request: PasskeyRequest, from visitor: SignInVisitor
  ) async throws -> String? {
    let known = try await passkey(answer.credential)
    let count: Int64
    do throws(PasskeyProblem) {
      guard let known, known.removedAt == nil, subject.map({ $0.account == known.account }) ?? true,
        // An operator whom the provider no longer admits must not sign in without it: their passkey is a second factor.
        subject != nil || !OperatorAccount.isFromProvider(known.account),
        let key = try? ECDSAPublicKey(curve: .p256, point: known.publicKey)
      else { throw .notAsked }
      let assertion = try PasskeyAssertion(
        clientData: answer.clientData, authenticatorData: answer.data, signature: answer.signature, by: key,
        to: request.question)
      count = Int64(assertion.signCount)
    } catch {
      try await enterRefusal(
        signInAction("signIn.refused", of: subject?.account, from: visitor), problem: error.rawValue)
      return nil
    }
    guard let known else { return nil }
    let token = newToken()
    let action = signInAction(
      subject?.entry ?? "session.signIn", of: known.account, from: visitor, key: Self.key(of: request))
    return try await openSession(action) { transaction in
      if try transaction.consoleSession(digest: token.digest) != nil { return }
      let current = try subject.map { try $0.current(in: transaction) }
      guard var passkey = try transaction.passkey(credential: known.credential), passkey.removedAt == nil,
        passkey.mayCount(count), let account = try transaction.operatorAccount(passkey.account),
        account.disabledAt == nil, current != .some(nil)
      else { throw CodedError<EngineErrorCode>(.actNotPossible, "The passkey or its sign-in counts no more.") }
      passkey.signCount = count
      passkey.usedAt = transaction.now
      if let current = current.flatMap(\.self) {
        try current.succeed(token: token.digest, in: transaction)
      } else {
        try Self.open(
          ConsoleSession(
            digest: token.digest, account: account.name, createdAt: transaction.now, provedAt: transaction.now),
          in: transaction)
      }
      try transaction.update(passkey)
    } ? token.text : nil
  }

  /// Takes a new passkey. A browser with a link may add the first factor of its account, and is signed in; one that is
  /// signed in may add more.
  ///
  /// - Returns: the token of the session that follows, if there is a new one; the account's passkeys have it then.
  ///   Nil if the answer is not taken.
  package func addPasskey(
    for subject: FactorSubject, _ answer: PasskeyAnswer, label: String, to request: PasskeyRequest,
    from visitor: SignInVisitor
  ) async throws -> String? {
    let made: Passkey
    let token = newToken()
    do throws(PasskeyProblem) {
      let registration = try PasskeyRegistration(
        clientData: answer.clientData, attestation: answer.data, to: request.question)
      made = Passkey(
        credential: Base64URL.encode(registration.credential), account: subject.account,
        publicKey: registration.key.point, label: label, createdAt: dependencies.now(),
        signCount: Int64(registration.signCount))
    } catch {
      try await enterRefusal(
        signInAction("passkey.refused", of: subject.account, from: visitor), problem: error.rawValue)
      return nil
    }
    var action = signInAction("passkey.add", of: subject.account, from: visitor, key: Self.key(of: request))
    action.objectKind = "passkey"
    action.object = String(made.credential.prefix(Self.shownOfCredential))
    return try await openSession(action) { transaction in
      if try transaction.passkey(credential: made.credential) != nil {
        if try transaction.consoleSession(digest: token.digest) != nil { return }
        throw CodedError<EngineErrorCode>(.actNotPossible, "The passkey is known.")
      }
      let others = try transaction.passkeys(of: subject.account, limit: Passkey.perAccountMax)
      guard let current = try subject.current(in: transaction),
        let account = try transaction.operatorAccount(subject.account), account.disabledAt == nil,
        others.count < Passkey.perAccountMax
      else { throw CodedError<EngineErrorCode>(.actNotPossible, "The sign-in has ended, or has too many passkeys.") }
      if case .pending = current, account.codes != nil || !others.isEmpty {
        throw CodedError<EngineErrorCode>(.actNotPossible, "The account has a second factor, which was not shown.")
      }
      try current.succeed(token: token.digest, in: transaction)
      try transaction.insert(made)
    } ? token.text : nil
  }

  /// Removes a passkey; the last second factor of an account stays.
  package func removePasskey(
    _ credential: String, of account: OperatorName, _ action: ActionDescription
  ) async throws -> ActionResult<Void> {
    try await perform(action) { [self] in
      try await transact { transaction in
        guard var passkey = try transaction.passkey(credential: credential), passkey.account == account,
          let owner = try transaction.operatorAccount(account)
        else { throw CodedError<EngineErrorCode>(.actNotPossible, "There is no such passkey.") }
        guard passkey.removedAt == nil else { return }
        guard try owner.codes != nil || transaction.passkeys(of: account, limit: 2).count > 1 else {
          throw CodedError<EngineErrorCode>(.actNotPossible, "It is the last second factor of the account.")
        }
        passkey.removedAt = transaction.now
        try transaction.update(passkey)
      }
    }
  }

  private func passkey(_ credential: String) async throws -> Passkey? {
    guard (1...Passkeys.credentialBytesMax * 4 / 3 + 2).contains(credential.utf8.count) else { return nil }
    return try await read { try $0.passkey(credential: credential) }
  }

  /// Each question is answered once: the key of an entry is unique.
  private static func key(of request: PasskeyRequest) -> String {
    Array(SHA256.hash(Array("passkey ".utf8) + request.question.challenge)).hexadecimal
  }

  /// So much of a credential's id stands in the audit log.
  private static let shownOfCredential = 16

  /// Whether the action was done now, and not before.
  func openSession(
    _ action: ActionDescription, _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Void
  ) async throws -> Bool {
    do {
      let result = try await perform(action) { [self] in try await transact(body) }
      if case .done = result { return true }
      return false
    } catch let error as CodedError<EngineErrorCode> where error.code == .actNotPossible { return false }
  }
}
