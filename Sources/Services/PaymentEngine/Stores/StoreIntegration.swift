package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

/// What the engine needs of a store.
///
/// An integration holds the access to its store, and nothing durable. The operations that only this store has, such as
/// its notifications, are extensions of `PaymentEngine` in the integration's module.
package protocol StoreIntegration: Sendable {
  /// Runs until the task is cancelled.
  typealias BackgroundTask = @Sendable (PaymentEngine) async -> Void

  var store: Store { get }

  // MARK: orders

  /// Checks that an app can sell a product there.
  ///
  /// - Throws: `storeNotConfigured`, `productNotSoldAtStore`, or an error that only this store has.
  func check(_ product: Product, for request: OrderRequest, of app: AppPolicy) throws(CodedError<EngineErrorCode>)

  /// How long an order of an app can be paid; nil for the time that the engine's limits state.
  func orderLifetime(of app: AppPolicy) -> TimeSpan?

  /// The row that is stored with an order that is opened at the store; nil at a store that knows no orders.
  func opening(
    of order: Order, for request: OrderRequest, in app: AppPolicy
  ) throws(CodedError<EngineErrorCode>) -> WeChatPayOrder?

  /// Opens a stored order at the store. The result has what the payer's client needs, as far as it is known.
  func open(_ details: OrderDetails, for app: AppPolicy, in engine: PaymentEngine) async throws -> OrderDetails

  /// Asks the store about an order that may be in payment, and applies the answer.
  func ask(about order: OrderKey, for app: AppPolicy, in engine: PaymentEngine) async

  /// Asks while a caller waits for the payment of an order.
  func askWhileWaiting(for order: Order, in engine: PaymentEngine) async

  // MARK: payments

  /// The statements that an earlier version stored of a payment, and did not apply.
  ///
  /// - Returns: nil if nothing of it can be read, and the store cannot be asked.
  func keptStatements(
    of stopped: StoppedChange, _ payment: Payment?, _ evidence: [Evidence], for app: AppPolicy,
    in engine: PaymentEngine
  ) async throws -> [StoppedStatement]?

  // MARK: backups

  /// Asks the store about everything that may have changed there while a restored database knew nothing.
  ///
  /// - Returns: the number of questions without an answer; they are repeated.
  func ask(about gap: BackupGap, in engine: PaymentEngine) async throws -> Int

  /// The days in a gap whose bill is still to be compared; none at a store without bills.
  func uncomparedDays(in gap: BackupGap, of app: AppPolicy, _ reader: any DatabaseReader) throws -> [UncomparedDay]

  // MARK: the server

  /// Prepares the integration before the background tasks begin.
  func start(in engine: PaymentEngine) async

  var backgroundTasks: [BackgroundTask] { get }

  /// Keeps to this node's share of the store's rates. Without a call of this, all of them are its own.
  func keep(to share: StoreShare) async
}

// A store that knows no orders sells products: there is nothing to open, and nothing to ask about an order.
extension StoreIntegration {
  package func orderLifetime(of app: AppPolicy) -> TimeSpan? { nil }

  package func opening(
    of order: Order, for request: OrderRequest, in app: AppPolicy
  ) throws(CodedError<EngineErrorCode>) -> WeChatPayOrder? { nil }

  package func open(_ details: OrderDetails, for app: AppPolicy, in engine: PaymentEngine) async throws -> OrderDetails
  {
    details
  }

  package func ask(about order: OrderKey, for app: AppPolicy, in engine: PaymentEngine) async {}

  package func askWhileWaiting(for order: Order, in engine: PaymentEngine) async {}

  package func uncomparedDays(
    in gap: BackupGap, of app: AppPolicy, _ reader: any DatabaseReader
  ) throws -> [UncomparedDay] { [] }

  package func start(in engine: PaymentEngine) async {}

  package func keep(to share: StoreShare) async {}
}
