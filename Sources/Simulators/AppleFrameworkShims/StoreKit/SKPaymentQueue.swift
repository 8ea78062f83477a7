public import Foundation
import PaymentPrimitives
import SimulatedDevice
import Synchronization

/// Stand-in for Apple's protocol of the same name. It requires `Sendable`, which Apple's does not: callbacks run in
/// jobs of the process.
public protocol SKPaymentTransactionObserver: NSObjectProtocol, Sendable {
  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction])
  func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction])
  func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error)
  func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue)
  func paymentQueue(
    _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
  ) -> Bool
  func paymentQueue(_ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers ids: [String])
  func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue)
}

// Optional requirements of Apple's protocol.
extension SKPaymentTransactionObserver {
  public func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {}
  public func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {}
  public func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {}
  public func paymentQueue(
    _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
  ) -> Bool { false }
  public func paymentQueue(_ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers ids: [String]) {}
  public func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {}
}

/// Stand-in for Apple's class of the same name: the queue of the calling process.
public final class SKPaymentQueue: NSObject, Sendable {
  private let run: AppRun

  private init(_ run: AppRun) { self.run = run }

  /// The queue. No entry has handle 0.
  public static func `default`() -> SKPaymentQueue {
    let run = theRun()
    return run.object(for: 0) { SKPaymentQueue(run) }
  }

  public static func canMakePayments() -> Bool { !theRun().device.account.switches.forbidsPayments }

  public var transactions: [SKPaymentTransaction] {
    // Rule SK1-8: without an observer the list is undefined; here it is empty.
    run.isObserved ? run.device.entries.map(object) : []
  }

  public func add(_ payment: SKPayment) {
    var asked = DevicePayment(
      product: StoreProductIdentifier(payment.productIdentifier), quantity: payment.quantity,
      userName: payment.applicationUsername)
    asked.hasProduct = payment.hasProduct
    if let discount = payment.paymentDiscount {
      asked.offer = discount.identifier
      asked.offerSignature = .ofStoreKit(
        key: discount.keyIdentifier, nonce: discount.nonce, timestamp: discount.timestamp.int64Value,
        signature: discount.signature)
    }
    run.device.storeKit1.add(asked, from: run)
  }

  public func add(_ observer: any SKPaymentTransactionObserver) {
    // Rule SK1-7: adding the same object again does nothing.
    observers.numbers.withLock { numbers in
      guard numbers[ObjectIdentifier(observer)] == nil else { return }
      numbers[ObjectIdentifier(observer)] = run.attach { [weak self, weak observer] news in
        guard let self, let observer else { return }
        self.tell(news, to: observer)
      }
    }
  }

  public func remove(_ observer: any SKPaymentTransactionObserver) {
    if let number = observers.numbers.withLock({ $0.removeValue(forKey: ObjectIdentifier(observer)) }) {
      run.detach(number)
    }
  }

  public func finishTransaction(_ transaction: SKPaymentTransaction) {
    run.device.storeKit1.finish(transaction.handle)
  }

  public func restoreCompletedTransactions() { run.device.storeKit1.restore(from: run) }

  // MARK: in a job of the process

  private func tell(_ news: QueueUpdate, to observer: any SKPaymentTransactionObserver) {
    switch news {
    case .updated(let entries):
      observer.paymentQueue(self, updatedTransactions: entries.map(object))
    case .removed(let entries):
      observer.paymentQueue(self, removedTransactions: entries.map(object))
    case .restoreFinished:
      observer.paymentQueueRestoreCompletedTransactionsFinished(self)
    case .restoreFailed(let failure):
      observer.paymentQueue(
        self, restoreCompletedTransactionsFailedWithError: SKError(failure ?? .unknown(inner: 0)))
    case .revoked(let products):
      observer.paymentQueue(self, didRevokeEntitlementsForProductIdentifiers: products.map(\.text))
    case .storefrontChanged:
      observer.paymentQueueDidChangeStorefront(self)
    case .promoted(let payment):
      let asked = SKPayment(product: payment.product.text, quantity: payment.quantity, userName: nil)
      let product = SKProduct(id: payment.product.text)
      if observer.paymentQueue(self, shouldAddStorePayment: asked, for: product) {
        run.device.storeKit1.add(payment, from: run)
      }
    }
  }

  private func object(_ entry: QueueEntry) -> SKPaymentTransaction {
    run.object(for: entry.handle) { SKPaymentTransaction(entry, on: run.device) }
  }

  private let observers = Observers()

  private final class Observers: Sendable {
    let numbers = Mutex<[ObjectIdentifier: Int]>([:])
  }
}

/// The calling process.
func theRun() -> AppRun { AppRun.here }
