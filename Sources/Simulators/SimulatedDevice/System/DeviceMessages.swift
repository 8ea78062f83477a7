import Synchronization

/// What a message of the App Store to the customer is about.
package enum DeviceMessage: Hashable, Sendable { case generic, priceIncreaseConsent, billingIssue, winBackOffer }

/// The messages of the App Store on a device (rule SK2-31). The system shows each by itself, unless the app goes
/// through the sequence of messages: then the app decides.
package final class DeviceMessages: Sendable {
  private let state = Mutex<(listener: AsyncStream<DeviceMessage>.Continuation?, shown: [DeviceMessage])>((nil, []))

  /// The App Store has a message for the customer.
  package func post(_ message: DeviceMessage) {
    let listener = state.withLock { $0.listener }
    if case .enqueued? = listener?.yield(message) { return }
    show(message)
  }

  /// The messages that the customer has seen, in order.
  package var shown: [DeviceMessage] { state.withLock { $0.shown } }

  package func show(_ message: DeviceMessage) { state.withLock { $0.shown.append(message) } }

  /// The messages from now on, for the app.
  package func iterate() -> AsyncStream<DeviceMessage> {
    let (stream, continuation) = AsyncStream.makeStream(of: DeviceMessage.self)
    state.withLock { $0.listener = continuation }
    return stream
  }

  func appEnded() { state.withLock { $0.listener = nil } }
}
