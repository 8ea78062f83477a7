import Counterfoil
import PaymentPrimitives

/// A phone's queue under observation: it records who opens a sheet, and checks whether each finish is allowed.
struct WatchedQueue: StoreQueue {
  let phone: WorldPhone
  let inner: any StoreQueue

  func canMakePayments() async -> Bool { await inner.canMakePayments() }

  func deviceVerificationId() async -> String? { await inner.deviceVerificationId() }

  func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
    try await inner.products(ids)
  }

  func updates() async -> AsyncStream<StoreTransaction> { await inner.updates() }

  func promotedPayments() async -> AsyncStream<PromotedPayment> { await inner.promotedPayments() }

  func unfinished() async throws(StoreFailure) -> [StoreTransaction] { try await inner.unfinished() }

  func freshEvidence(of transaction: StoreTransaction) async throws(StoreFailure) -> String? {
    try await inner.freshEvidence(of: transaction)
  }

  func add(_ payment: StorePayment) async throws(StoreFailure) {
    phone.opensSheet(payment)
    try await inner.add(payment)
  }

  func finish(_ transaction: StoreTransaction) async throws(StoreFailure) {
    await phone.checkFinish(transaction)
    try await inner.finish(transaction)
  }

  func restore() async throws(StoreFailure) -> [StoreTransaction] { try await inner.restore() }
}
