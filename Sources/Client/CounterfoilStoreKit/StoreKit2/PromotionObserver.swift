#if canImport(StoreKit) && !os(tvOS) && !os(watchOS) && !os(visionOS)
  import Counterfoil
  import Foundation
  import StoreKit

  /// Takes purchases that the customer began in the App Store from StoreKit 1's queue, for systems before iOS 16.4 and
  /// macOS 14.4, where StoreKit 2 does not report them. It looks at nothing else and finishes nothing: StoreKit 2's
  /// queue does that.
  final class PromotionObserver: NSObject, SKPaymentTransactionObserver, Sendable {
    private let events: AsyncStream<PaymentQueueEvent>.Continuation

    init(_ events: AsyncStream<PaymentQueueEvent>.Continuation) { self.events = events }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

    /// Holds the purchase back: it is bought with an order, or not at all.
    func paymentQueue(
      _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
    ) -> Bool {
      // The signature of an offer names no order of ours: the server signs a new one.
      events.yield(.promoted(product, quantity: max(1, payment.quantity), offer: nil))
      return false
    }
  }
#endif
