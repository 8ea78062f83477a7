import CCurl
import Synchronization

/// The requests of other threads to the thread that owns the transfers.
final class CurlInbox: Sendable {
  struct Orders: Sendable {
    var beginning: [PendingExchange] = []
    var ending: [PendingExchange] = []
    var isStopping = false
  }

  private struct State {
    var orders = Orders()
    /// Exchanges that have begun and are not over, including those the thread has not seen yet.
    var underWay = 0
    /// The address of the owner's handle, used to wake the owner. `curl_multi_wakeup` is the only function of libcurl
    /// that any thread may call on a handle of another thread. It is called only under the lock. The owner removes the
    /// handle under the lock before it frees the handle.
    var multi: UInt?

    func wake() {
      if let multi, let multi = UnsafeMutableRawPointer(bitPattern: multi) { _ = curl_multi_wakeup(multi) }
    }
  }

  private let state = Mutex(State())

  /// From now on, each request wakes the owner.
  func setHandle(_ multi: UnsafeMutableRawPointer) {
    let address = UInt(bitPattern: multi)
    state.withLock { $0.multi = address }
  }

  /// Called before the owner frees the handle.
  func removeHandle() { state.withLock { $0.multi = nil } }

  /// Adds an exchange; false if there are too many exchanges already.
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

  /// Everything that was requested since the last call. Only the owner calls this.
  func take() -> Orders {
    state.withLock { state in
      let orders = state.orders
      state.orders = Orders(isStopping: orders.isStopping)
      return orders
    }
  }

  /// Records that an exchange is over. Only the owner calls this.
  func forget() { state.withLock { $0.underWay -= 1 } }
}
