import CounterfoilAPI
import PaymentPrimitives

extension OrderRecord {
  /// An event that can change a record.
  enum Event: Hashable, Sendable {
    /// The server answered with the order.
    case ordered(PlacedOrder)
    /// The server refused to make the order: there is none, and there was no sheet.
    case refusedByServer
    /// The sheet is about to open.
    case paymentStarts
    /// The store reported a failure or a cancellation.
    case storeFailed
    /// The store waits for an approval.
    case approvalPending
    /// The server knows that an approval is pending, and waits longer.
    case approvalReported
    /// A transaction appeared that looks like the order's payment.
    case charged(TransactionIdentifier)
    /// The server judged that transaction in a way that does not pay this order.
    case judgedOtherwise(TransactionIdentifier, String)
    /// The server says that the order is paid.
    case paidAtServer
    /// The server says that the order is closed. Only with an empty queue does that end the record.
    case closedAtServer(queueHoldsNothing: Bool)
    /// Everything at the store that could belong to it has been finished.
    case finishedAtStore
  }

  /// The consequence of an event.
  enum Action: Hashable, Sendable {
    /// Makes the new state durable.
    case write
    /// Removes the record from the vault.
    case remove
  }

  /// Applies an event and returns the action that follows; nil if the event changes nothing.
  ///
  /// A record leaves the vault in three ways, and the server decides each: it refused to make the order, it says that
  /// the order is paid, it says that the order is closed. A failure or cancellation at the store never removes
  /// anything.
  mutating func receive(_ event: Event) -> Action? {
    switch (event, state) {
    case (.ordered(let order), .requested):
      return change(to: .placed(order, .created))
    case (.refusedByServer, .requested):
      return .remove
    case (.ordered, .placed), (.refusedByServer, .placed), (_, .requested):
      return nil
    case (_, .placed(let order, let phase)):
      return receive(event, order, phase: phase)
    }
  }

  private mutating func receive(
    _ event: Event, _ order: PlacedOrder, phase: Phase
  ) -> Action? {
    switch (event, phase) {
    case (.paymentStarts, .created):
      return change(to: .placed(order, .paying))
    case (.paymentStarts, .failedOnce) where mayPayAgain:
      return change(to: .placed(order, .paying))
    case (.storeFailed, .paying), (.storeFailed, .deferred):
      return change(to: .placed(order, .failedOnce))
    case (.approvalPending, .paying), (.approvalPending, .failedOnce):
      return change(to: .placed(order, .deferred(serverKnows: false)))
    case (.approvalReported, .deferred(serverKnows: false)):
      return change(to: .placed(order, .deferred(serverKnows: true)))
    case (.charged, .paid), (.charged, .owned):
      // The first payment stays: the server matches a second one for the same order (`paidTwice`).
      return nil
    case (.charged(let transaction), _):
      return change(to: .placed(order, .paid(by: transaction)))
    case (.judgedOtherwise(let judged, let reason), .paid(let transaction)) where judged == transaction:
      return change(to: .placed(order, .setAside(reason)))
    case (.paidAtServer, _):
      return phase == .owned ? nil : change(to: .placed(order, .owned))
    case (.closedAtServer(let queueHoldsNothing), _):
      return queueHoldsNothing ? .remove : nil
    case (.finishedAtStore, .owned):
      return .remove
    default:
      // The event is older than the state, or already part of it: a state never moves back.
      return nil
    }
  }

  /// Whether a customer who left may pay the same order again: only at WeChat Pay, where an order can be paid only
  /// once.
  private var mayPayAgain: Bool { request.store == .weChatPay }

  private mutating func change(to state: State) -> Action? {
    self.state = state
    return .write
  }
}
