import Synchronization

/// The app receipt as it lies on a simulated device: one file for all purchases, missing until the store has written it
/// for the first time, and now and then older than the queue.
package final class SimulatedReceiptFile: Sendable {
  private let text = Mutex<String?>(nil)
  private let lags: @Sendable () -> Bool

  /// A device on which the app was just installed.
  ///
  /// - Parameter lags: asked each time that the store would write the file with a purchase; true leaves the old one.
  package init(lags: @escaping @Sendable () -> Bool = { false }) { self.lags = lags }

  /// The receipt in Base64; nil when there is none.
  package var content: String? { text.withLock { $0 } }

  /// The store writes it, unless it is late.
  func write(_ receipt: String) {
    guard content != receipt, !lags() else { return }
    refresh(receipt)
  }

  /// The store writes it because the app has asked for that.
  func refresh(_ receipt: String) { text.withLock { $0 = receipt } }

  /// It is gone, with the app.
  package func lose() { text.withLock { $0 = nil } }
}
