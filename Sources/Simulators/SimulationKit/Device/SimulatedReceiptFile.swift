import Synchronization

/// The app receipt on a simulated device: one file for all purchases. It is missing until the App Store writes it for
/// the first time, and is sometimes older than the queue.
package final class SimulatedReceiptFile: Sendable {
  private let text = Mutex<String?>(nil)
  private let lags: @Sendable () -> Bool

  /// A device on which the app was just installed.
  ///
  /// - Parameter lags: called each time the App Store would write the file after a purchase; true keeps the old file.
  package init(lags: @escaping @Sendable () -> Bool = { false }) { self.lags = lags }

  /// The receipt in Base64; nil if there is none.
  package var content: String? { text.withLock { $0 } }

  /// Writes the file after a purchase, unless it lags.
  func write(_ receipt: String) {
    guard content != receipt, !lags() else { return }
    refresh(receipt)
  }

  /// Writes the file because the app has requested it.
  func refresh(_ receipt: String) { text.withLock { $0 = receipt } }

  /// Deletes the file, as the removal of the app does.
  package func lose() { text.withLock { $0 = nil } }
}
