import Foundation
import PaymentDatabase

/// Keeps a closure of a transaction waiting until a test opens it: later arrivals become one batch.
final class Gate: Sendable {
  // `NSCondition` locks by itself; closures of transactions are synchronous, so they may wait on it.
  private let condition = NSCondition()
  private nonisolated(unsafe) var isReached = false
  private nonisolated(unsafe) var isOpen = false

  /// Waits inside the closure. The first arrival is noticed; an open gate stops no closure.
  func pass() {
    condition.lock()
    isReached = true
    while !isOpen { condition.wait() }
    condition.unlock()
  }

  /// Waits inside a closure that runs on the writer: a closure that reads a list without a key cannot be planned.
  func pass(onWriterOf transaction: any DatabaseTransaction) throws {
    _ = try transaction.orders(after: nil, limit: 1)
    pass()
  }

  func open() {
    condition.lock()
    isOpen = true
    condition.broadcast()
    condition.unlock()
  }

  /// Whether a closure waits at the gate or has passed it.
  var reached: Bool {
    condition.lock()
    defer { condition.unlock() }
    return isReached
  }
}

/// Yields to other tasks until the condition holds.
func until(_ condition: @Sendable () -> Bool) async {
  while !condition() { await Task.yield() }
}
