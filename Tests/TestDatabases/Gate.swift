import Foundation
package import PaymentDatabase
import Synchronization

/// Keeps a closure of a transaction waiting until a test opens it: later arrivals become one batch.
package final class Gate: Sendable {
  // Closures of transactions are synchronous, so they may wait on it.
  private let condition = NSCondition()
  private let isOpen = Atomic(false)
  private let isReached = Atomic(false)

  package init() {}

  /// Waits inside the closure. The first arrival is noticed; an open gate stops no closure.
  package func pass() {
    isReached.store(true, ordering: .releasing)
    condition.lock()
    while !isOpen.load(ordering: .acquiring) { condition.wait() }
    condition.unlock()
  }

  /// Waits inside a closure that runs on the writer: a closure that reads a list without a key cannot be planned.
  package func pass(onWriterOf transaction: any DatabaseTransaction) throws {
    _ = try transaction.orders(after: nil, limit: 1)
    pass()
  }

  package func open() {
    condition.lock()
    isOpen.store(true, ordering: .releasing)
    condition.broadcast()
    condition.unlock()
  }

  /// Whether a closure waits at the gate or has passed it.
  package var reached: Bool { isReached.load(ordering: .acquiring) }
}
