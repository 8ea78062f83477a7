package import AppStoreProtocol
import Cryptography
package import HTTPMessages
package import PaymentDatabase
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives
package import ServerConfiguration

extension InMemoryStorage {
  /// An empty database for a simulation or a test.
  package static func simulated(_ profile: DatabaseProfile = .simulated) -> InMemoryStorage {
    InMemoryStorage(profile: profile, installationSecret: String(repeating: "5c", count: 32))
  }
}

extension PaymentEngine {
  /// An engine for a simulation or a test: the same installation secret for all of them.
  ///
  /// - Parameters:
  ///   - outside: the servers on the internet; default: none answers.
  ///   - anywhere: the servers of the inner network; default: the same.
  ///   - countsHours: whether it counts what happened by the hour, each minute. It is most of the work of simulated
  ///     months.
  package static func simulated(
    _ apps: [AppSettings], database: any PaymentDatabase, verifier: SignedDataVerifier, dependencies: Dependencies,
    outside: HTTPExchange = .unreachable, anywhere: HTTPExchange? = nil,
    erasureList: (any ErasureList)? = nil, retention: RetentionPolicy = RetentionPolicy(),
    limits: EngineLimits = EngineLimits(), countsHours: Bool = false, traces: Traces = .off,
    log: @escaping Log = { _ in }
  ) -> PaymentEngine {
    var limits = limits
    if !countsHours { limits.totalsInterval = nil }
    return PaymentEngine(
      apps, database: database, verifier: verifier, dependencies: dependencies,
      exchanges: Exchanges(outside: outside, anywhere: anywhere ?? outside),
      secret: Secret(Array(repeating: 3, count: 32)), erasureList: erasureList, retention: retention, limits: limits,
      traces: traces, log: log
    )
  }
}

extension HTTPExchange {
  /// A network without servers.
  package static let unreachable = HTTPExchange { _, _ throws(HTTPExchangeError) in
    throw .unreachable("No server exists.")
  }
}
