import Cryptography
import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

// Accounts are made on the server's own machine. The console cannot make one.
extension PaymentEngine {
  /// The most accounts that a list has.
  package static let accountsMax = 1000

  package func operatorAccounts() async throws -> [OperatorAccount] {
    try await read { try $0.operatorAccounts(limit: Self.accountsMax) }
  }

  /// Makes an account, or gives it another role; a disabled one can sign in again.
  ///
  /// - Parameters:
  ///   - role: nil takes the role away.
  ///   - app: an app, or `OperatorAccount.everyApp`.
  ///   - host: the user of the machine whose command asks for it.
  package func setRole(
    _ role: OperatorRole?, of name: OperatorName, in app: AppIdentifier, by host: String
  ) async throws -> OperatorAccount {
    var action = hostAction("account.setRole", on: name, by: host)
    action.app = app == OperatorAccount.everyApp ? nil : app
    action.role = role
    return try await performOnHost(action) { [self] in
      try await transact { transaction in
        var account =
          try transaction.operatorAccount(name) ?? OperatorAccount(name: name, createdAt: transaction.now)
        let before = account
        account.roles[app] = role
        account.disabledAt = nil
        // Who signed in with other rights signs in again.
        if account != before { try Self.endSessions(of: name, in: transaction) }
        try transaction.put(account)
        return account
      }
    }
  }

  /// Ends an account's access at once, with all its sessions.
  ///
  /// - Returns: nil if there is no such account.
  package func disableAccount(_ name: OperatorName, by host: String) async throws -> OperatorAccount? {
    try await performOnHost(hostAction("account.disable", on: name, by: host)) { [self] in
      try await transact { transaction in
        guard var account = try transaction.operatorAccount(name) else { return nil }
        if account.disabledAt == nil {
          account.disabledAt = transaction.now
          try transaction.put(account)
        }
        try Self.endSessions(of: name, in: transaction)
        return account
      }
    }
  }

  /// Removes the second factors of an account and ends its sessions: the way back for somebody who has lost their
  /// phone. The next link sets a factor up again.
  ///
  /// - Returns: nil if there is no such account.
  package func resetFactors(of name: OperatorName, by host: String) async throws -> OperatorAccount? {
    try await performOnHost(hostAction("account.reset", on: name, by: host)) { [self] in
      try await transact { transaction in
        guard var account = try transaction.operatorAccount(name) else { return nil }
        let passkeys = try transaction.passkeys(of: name, limit: Passkey.perAccountMax)
        try Self.endSessions(of: name, in: transaction)
        account.codes = nil
        try transaction.put(account)
        for var passkey in passkeys {
          passkey.removedAt = transaction.now
          try transaction.update(passkey)
        }
        return account
      }
    }
  }

  /// Makes a link that signs an account in, once, within `SignInLink.lifetime`.
  ///
  /// - Returns: the code, which is kept nowhere; nil if there is no such account, or it is disabled.
  package func makeSignInLink(for name: OperatorName, by host: String) async throws -> String? {
    let code = Base64URL.encode(dependencies.randomBytes(32))
    let digest = APIKeyText.digest(of: code)
    return try await performOnHost(hostAction("account.link", on: name, by: host)) { [self] in
      try await transact { transaction in
        guard let account = try transaction.operatorAccount(name), account.disabledAt == nil else { return nil }
        if try transaction.signInLink(digest: digest) == nil {
          try transaction.put(SignInLink(digest: digest, account: name, createdAt: transaction.now))
        }
        return code
      }
    }
  }

  private func hostAction(_ name: String, on account: OperatorName, by host: String) -> ActionDescription {
    hostAction(name, on: ("account", account.text), by: host)
  }

  private func hostAction(
    _ name: String, on object: (kind: String, id: String)?, by host: String
  ) -> ActionDescription {
    var action = ActionDescription(name, by: .host, host, key: dependencies.randomBytes(16).hexadecimal)
    action.objectKind = object?.kind
    action.object = object?.id
    return action
  }

  /// Performs what a command on this machine does without a server, with its entry in the audit log.
  ///
  /// - Parameter host: the user of the machine.
  package func performOnHost<Value: Sendable>(
    _ name: String, on object: (kind: String, id: String)?, of app: AppIdentifier?, by host: String,
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    var action = hostAction(name, on: object, by: host)
    action.app = app
    return try await performOnHost(action, body)
  }

  /// The key is new, so it cannot be a repeat.
  private func performOnHost<Value: Sendable>(
    _ action: ActionDescription, _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    switch try await perform(action, body) {
    case .done(let value): return value
    case .repeated: throw CodedError<EngineErrorCode>(.outcomeUnknown)
    }
  }
}
