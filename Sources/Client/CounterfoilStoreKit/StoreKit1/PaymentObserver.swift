#if canImport(StoreKit)
  import Counterfoil
  import Foundation
  import StoreKit

  /// An event of StoreKit 1's queue. It names transactions and does not carry them: Apple's objects stay in the queue,
  /// and readers look there.
  enum PaymentQueueEvent: Sendable {
    case changed([ObjectIdentifier])
    case restoreEnded(StoreFailure?)
    case promoted(SKProduct, quantity: Int, offer: StoreOffer?)
    case storefrontChanged
  }

  /// The one observer of a process.
  final class PaymentObserver: NSObject, SKPaymentTransactionObserver, Sendable {
    private let events: AsyncStream<PaymentQueueEvent>.Continuation

    init(_ events: AsyncStream<PaymentQueueEvent>.Continuation) { self.events = events }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
      events.yield(.changed(transactions.map { ObjectIdentifier($0) }))
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
      events.yield(.changed([]))
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
      events.yield(.restoreEnded(nil))
    }

    func paymentQueue(
      _ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error
    ) {
      events.yield(.restoreEnded(StoreFailure(storeKit1: error)))
    }

    func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) { events.yield(.storefrontChanged) }

    #if !os(watchOS)
      /// Holds the purchase back: it is bought with an order, or not at all.
      func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
      ) -> Bool {
        events.yield(
          .promoted(
            product, quantity: max(1, payment.quantity),
            offer: payment.paymentDiscount.map { StoreOffer($0) }))
        return false
      }
    #endif
  }

  extension StoreOffer {
    init(_ discount: SKPaymentDiscount) {
      self = .promotional(
        PromotionalOffer(
          offerId: discount.identifier, keyId: discount.keyIdentifier, nonce: discount.nonce.uuidString.lowercased(),
          signature: discount.signature, timestamp: discount.timestamp.int64Value))
    }
  }

  extension StoreFailure {
    /// A failure as StoreKit 1 states it.
    init(storeKit1 error: (any Error)?) {
      guard let error = error as? SKError else {
        self = StoreFailure(.other, explanation: error.map { "\(type(of: $0))" } ?? "no error was given")
          .caused(by: error)
        return
      }
      let inner = error.userInfo[NSUnderlyingErrorKey] as? NSError
      self = StoreFailure(
        Self.kind(of: error.code), code: error.code.rawValue, innerCode: inner?.code,
        explanation: "SKError \(error.code.rawValue)" + (inner.map { ", \($0.domain) \($0.code)" } ?? "")
      ).caused(by: inner)
    }

    private static func kind(of code: SKError.Code) -> Kind {
      if code == .paymentCancelled { return .cancelled }
      if code == .storeProductNotAvailable || code == .paymentInvalid { return .productUnavailable }
      if code == .paymentNotAllowed || code == .clientInvalid { return .paymentNotAllowed }
      if code == .cloudServiceNetworkConnectionFailed { return .storeUnreachable }
      let offers: [SKError.Code] = [
        .invalidOfferIdentifier, .invalidSignature, .missingOfferParams, .invalidOfferPrice,
      ]
      // 18 is `ineligibleForOffer`, a name that some systems lack.
      return offers.contains(code) || code.rawValue == 18 ? .offerNotAllowed : .other
    }
  }
#endif
