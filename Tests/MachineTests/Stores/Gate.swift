import Foundation

/// Keeps a closure of a transaction waiting until a test lets it go: what arrives meanwhile becomes one batch.
final class Gate: Sendable {
  // `NSCondition` is a class of its own locking; closures of transactions are synchronous, so they may wait on it.
  private let condition = NSCondition()
  private nonisolated(unsafe) var isReached = false
  private nonisolated(unsafe) var isOpen = false

  /// Waits inside the closure. The first to come is noticed; once opened it holds nobody.
  func pass() {
    condition.lock()
    isReached = true
    while !isOpen { condition.wait() }
    condition.unlock()
  }

  func open() {
    condition.lock()
    isOpen = true
    condition.broadcast()
    condition.unlock()
  }

  /// Whether somebody waits at it or has passed.
  var reached: Bool {
    condition.lock()
    defer { condition.unlock() }
    return isReached
  }
}

/// Gives way to other tasks until that is so.
func until(_ condition: @Sendable () -> Bool) async {
  while !condition() { await Task.yield() }
}
