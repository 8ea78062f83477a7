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
        account.roles[app] = role
        account.disabledAt = nil
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
    var action = ActionDescription(name, by: .host, host, key: dependencies.randomBytes(16).hexadecimal)
    action.objectKind = "account"
    action.object = account.text
    return action
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
