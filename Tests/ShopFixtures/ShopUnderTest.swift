package import PaymentDatabase
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives

/// A shop with an engine over an in-memory database, whatever stores surround it.
package protocol ShopUnderTest: Sendable {
  var engine: PaymentEngine { get }
  var app: AppPolicy { get }
  var storage: InMemoryStorage { get }
  var now: @Sendable () -> Timestamp { get }
}

extension ShopUnderTest {
  package var database: InMemoryDatabase { InMemoryDatabase(storage, now: now) }

  /// A user's coins.
  package func coins(of user: UserIdentifier = "alice") async throws -> Int64 {
    try await engine.readBalances(of: user, in: EngineFixture.appEnvironment).first { $0.unit == "coin" }?.amount ?? 0
  }

  /// The payment of a transaction of the App Store.
  package func payment(_ id: TransactionIdentifier) async throws -> Payment? {
    try await database.read { try $0.payment(EngineFixture.key(id)) }
  }

  /// All violations that the audit finds, at rest.
  package func violations() async throws -> [Violation] { try await engine.auditInvariants(atRest: true).violations }
}
