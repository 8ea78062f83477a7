public import PaymentPrimitives

/// The queue of a device without an App Store: Android, Linux. It holds nothing and sells nothing.
public struct AbsentStoreQueue: StoreQueue {
  private static let failure = StoreFailure(.paymentNotAllowed, explanation: "This device has no App Store.")

  /// A queue that is not there.
  public init() {}

  /// Never.
  public func canMakePayments() async -> Bool { false }

  /// None.
  public func deviceVerificationId() async -> String? { nil }

  /// Knows no product.
  public func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
    StoreProducts(products: [], unknown: ids)
  }

  /// A stream in which nothing ever comes; it ends when its listener's task does.
  public func updates() async -> AsyncStream<StoreTransaction> { AsyncStream { _ in } }

  /// Nothing.
  public func unfinished() async throws(StoreFailure) -> [StoreTransaction] { [] }

  /// - Throws: always, for there is nothing to pay at.
  public func add(_ payment: StorePayment) async throws(StoreFailure) { throw Self.failure }

  /// There is nothing to finish.
  public func finish(_ transaction: StoreTransaction) async throws(StoreFailure) {}

  /// - Throws: always, for there is nothing to restore from.
  public func restore() async throws(StoreFailure) -> [StoreTransaction] { throw Self.failure }
}
