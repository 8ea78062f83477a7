package import HTTPMessages
package import PaymentModel
package import PaymentPrimitives
import Synchronization

/// Verifies the tokens of an identity provider, and keeps its public keys.
package final class IdentityVerification: Sendable {
  /// A request with an unknown key makes the keys be read again, at most once in this time.
  package static let pauseBetweenReads = TimeSpan.minutes(1)
  /// Keys that the provider has withdrawn must not count for long: then they are read again.
  package static let keysFresh = TimeSpan.hours(1)
  /// If they cannot be read, the known ones count for so long.
  package static let keysUsable = TimeSpan.hours(24)

  private struct Known {
    var keys: JSONWebKeySet?
    var readAt = Timestamp(milliseconds: 0)
    var triedAt: Timestamp?
  }

  package let provider: IdentityProvider
  private let readKeys: @Sendable () async throws -> [UInt8]
  private let log: Log
  private let known = Mutex(Known())

  /// - Parameter readKeys: reads the keys from where the configuration says, within a bounded time.
  package init(
    _ provider: IdentityProvider, log: @escaping Log, readKeys: @escaping @Sendable () async throws -> [UInt8]
  ) {
    self.provider = provider
    self.log = log
    self.readKeys = readKeys
  }

  /// Whether a request has come through the proxy with a token, which may be any text.
  package func hasToken(_ request: HTTPRequest, from peer: String) -> Bool {
    provider.isProxy(peer) && request.fields[provider.header] != nil
  }

  /// Who a request comes from.
  ///
  /// - Parameter peer: the IP address that the connection came from.
  package func identity(
    of request: HTTPRequest, from peer: String, at now: Timestamp
  ) async throws(IdentityTokenProblem) -> ProviderIdentity {
    guard provider.isProxy(peer) else { throw .senderUntrusted }
    let token = try IdentityToken(try text(in: request))
    guard let key = await key(token.kid, at: now) else { throw .keyUnknown }
    return try token.identity(by: key, for: provider, at: now)
  }

  /// The token, with or without the scheme that `Authorization` has before it.
  private func text(in request: HTTPRequest) throws(IdentityTokenProblem) -> String {
    let values = request.fields.values(provider.header)
    guard let value = values.first, !value.isEmpty else { throw .missing }
    // Of two it is unclear which one the proxy wrote.
    guard values.count == 1 else { throw .malformed }
    let scheme = "bearer "
    return value.prefix(scheme.count).lowercased() == scheme ? String(value.dropFirst(scheme.count)) : value
  }

  /// A key of the provider. Its keys are read if they are unknown or old; one caller reads them, others do not wait.
  private func key(_ kid: CredentialIdentifier, at now: Timestamp) async -> JSONWebKeySet.Key? {
    let (found, mustRead) = known.withLock { known in
      let age = now - known.readAt
      let found = age < Self.keysUsable ? known.keys?[kid] : nil
      let isPaused = known.triedAt.map { now - $0 < Self.pauseBetweenReads } ?? false
      guard !isPaused, found == nil || age >= Self.keysFresh else { return (found, false) }
      known.triedAt = now
      return (found, true)
    }
    guard mustRead else { return found }
    do {
      let keys = try JSONWebKeySet(try await readKeys())
      known.withLock { known in
        known.keys = keys
        known.readAt = now
      }
      return keys[kid]
    } catch {
      log(LogEvent(.warning, "console.providerKeysUnreadable", [("error", String("\(error)".prefix(500)))]))
      return found
    }
  }
}
