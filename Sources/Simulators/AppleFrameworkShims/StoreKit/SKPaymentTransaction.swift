public import Foundation
import PaymentPrimitives
import SimulatedDevice
import Synchronization

/// Stand-in for Apple's enumeration of the same name.
public enum SKPaymentTransactionState: Int, Sendable {
  case purchasing = 0
  case purchased = 1
  case failed = 2
  case restored = 3
  case deferred = 4
}

/// Stand-in for Apple's class of the same name: one object for one entry of the queue; its state changes with the
/// entry.
public final class SKPaymentTransaction: NSObject, Sendable {
  let handle: Int
  private let device: Device
  private let last: Mutex<QueueEntry>

  init(_ entry: QueueEntry, on device: Device) {
    handle = entry.handle
    self.device = device
    last = Mutex(entry)
  }

  /// The current entry, or its last state after it has left the queue.
  private var entry: QueueEntry {
    guard let entry = device.storeKit1.entry(handle) else { return last.withLock { $0 } }
    last.withLock { $0 = entry }
    return entry
  }

  public var transactionState: SKPaymentTransactionState {
    SKPaymentTransactionState(rawValue: entry.state.rawValue) ?? .failed
  }
  public var transactionIdentifier: String? { entry.transaction?.text }
  public var transactionDate: Date? {
    entry.date.map { Date(timeIntervalSince1970: Double($0.milliseconds) / 1000) }
  }
  public var payment: SKPayment {
    let entry = entry
    return SKPayment(product: entry.product?.text ?? "", quantity: entry.quantity, userName: entry.userName)
  }
  public var error: (any Error)? { entry.failure.map { SKError($0) } }
  public var original: SKPaymentTransaction? {
    guard let original = entry.original else { return nil }
    return SKPaymentTransaction(entry.first(original), on: device)
  }
}
