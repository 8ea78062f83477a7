public import PaymentPrimitives

/// The queue of a device without an App Store: Android, Linux. It holds nothing and sells nothing.
public struct AbsentStoreQueue: StoreQueue {
  private static let failure = StoreFailure(.paymentNotAllowed, explanation: "This device has no App Store.")

  /// An absent queue.
  public init() {}

  /// Always false.
  public func canMakePayments() async -> Bool { false }

  /// Always nil.
  public func deviceVerificationId() async -> String? { nil }

  /// Knows no product: all ids are unknown.
  public func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
    StoreProducts(products: [], unknown: ids)
  }

  /// An empty stream; it ends when its listener's task does.
  public func updates() async -> AsyncStream<StoreTransaction> { AsyncStream { _ in } }

  /// Always empty.
  public func unfinished() async throws(StoreFailure) -> [StoreTransaction] { [] }

  /// Always fails.
  ///
  /// - Throws: `StoreFailure` always, because there is no store.
  public func add(_ payment: StorePayment) async throws(StoreFailure) { throw Self.failure }

  /// Does nothing.
  public func finish(_ transaction: StoreTransaction) async throws(StoreFailure) {}

  /// Always fails.
  ///
  /// - Throws: `StoreFailure` always, because there is no store.
  public func restore() async throws(StoreFailure) -> [StoreTransaction] { throw Self.failure }
}
