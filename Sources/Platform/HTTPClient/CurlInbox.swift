import CCurl

/// What other threads ask of the one that owns the transfers.
final class CurlInbox: Sendable {
  struct Orders: Sendable {
    var beginning: [PendingExchange] = []
    var ending: [PendingExchange] = []
    var isStopping = false
  }

  private struct State {
    var orders = Orders()
    /// Exchanges begun and not yet over, whether the thread has seen them or not.
    var underWay = 0
    /// The owner's handle, to wake it: `curl_multi_wakeup` is the one function of libcurl that any thread may call on a
    /// handle that another one owns. It is called under the lock only, and the owner takes it away under the lock
    /// before it frees it.
    var multi: UnsafeMutableRawPointer?

    func wake() {
      if let multi { _ = curl_multi_wakeup(multi) }
    }
  }

  private let state = Guarded(State())

  /// From now on the owner is woken for each order.
  func hang(_ multi: UnsafeMutableRawPointer) {
    state.withLock { $0.multi = multi }
  }

  /// The owner is about to free the handle.
  func unhang() { state.withLock { $0.multi = nil } }

  /// False when there are too many exchanges already.
  func begin(_ exchange: PendingExchange) -> Bool {
    state.withLock { state in
      guard state.underWay < HTTPClient.exchangesMax else { return false }
      state.underWay += 1
      state.orders.beginning.append(exchange)
      state.wake()
      return true
    }
  }

  func end(_ exchange: PendingExchange) {
    state.withLock { state in
      state.orders.ending.append(exchange)
      state.wake()
    }
  }

  func stop() {
    state.withLock { state in
      state.orders.isStopping = true
      state.wake()
    }
  }

  /// What has been asked since the last time. For the owner.
  func take() -> Orders {
    state.withLock { state in
      let orders = state.orders
      state.orders = Orders(isStopping: orders.isStopping)
      return orders
    }
  }

  /// An exchange is over. For the owner.
  func forget() { state.withLock { $0.underWay -= 1 } }
}
