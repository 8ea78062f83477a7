package import PaymentPrimitives

/// The state of an order (docs/specification/states.md, “Order”). Nothing deletes an order; `paid` is final.
package enum OrderState: Hashable, Sendable {
  case awaitingPayment
  case paid(by: PaymentKey, at: Timestamp)
  /// Payment is no longer expected; a late payment still pays it.
  case closed(CloseReason, at: Timestamp)

  /// Whether a payment may still be paired with it.
  package var isUnpaid: Bool {
    switch self {
    case .awaitingPayment, .closed: true
    case .paid: false
    }
  }

  package var payment: PaymentKey? {
    switch self {
    case .paid(let key, _): key
    case .awaitingPayment, .closed: nil
    }
  }
}

/// Why an order was closed.
package enum CloseReason: String, Hashable, CaseIterable, Sendable {
  /// The customer cancelled before paying.
  case customerGaveUp
  case expired
  case closedByBackend
  /// WeChat Pay answered the prepare call with an error.
  case prepayRefused
  /// A newer order replaced it: the number of open orders per user is limited.
  case replaced
  /// The store returned a product that its account already owns; nothing was charged for this order.
  case alreadyOwned
}

/// What can happen to an order.
package enum OrderEvent: Hashable, Sendable {
  /// A verified payment was matched with it.
  case paid(PaymentKey)
  /// A caller or the timer closes it.
  case close(CloseReason)
  /// An earlier payment of the same subscription arrived: the pairing moves to it.
  case pairingMoved(from: PaymentKey, to: PaymentKey)
}

package enum OrderAction: Hashable, Sendable {
  /// Write the order in its new state.
  case save
  case journal(JournalEvent)
}

/// An event that cannot happen to an order in its state.
package enum OrderError: Error, Hashable, Sendable {
  /// Another payment paid it: this payment needs an order of its own.
  case alreadyPaid(by: PaymentKey)
  /// The payment that the pairing would move from does not pay this order.
  case notPaidBy(PaymentKey)
}

extension Order {
  /// Applies an event and returns the actions. A repeated event gives no actions.
  ///
  /// - Throws: `OrderError` when the event is not possible in this state; the order is unchanged then.
  package mutating func receive(
    _ event: OrderEvent, at now: Timestamp
  ) throws(OrderError) -> [OrderAction] {
    switch (event, state) {
    case (.paid(let payment), .awaitingPayment):
      state = .paid(by: payment, at: now)
      return [.save, .journal(.orderPaid)]
    case (.paid(let payment), .closed):
      state = .paid(by: payment, at: now)
      return [.save, .journal(.orderPaidLate)]
    case (.paid(let payment), .paid(let first, _)):
      guard payment == first else { throw .alreadyPaid(by: first) }
      return []
    case (.close(let reason), .awaitingPayment):
      state = .closed(reason, at: now)
      return [.save, .journal(.orderClosed(reason))]
    case (.close, .closed), (.close, .paid):
      // The first reason stays. A timer or a late cancellation does not close a paid order.
      return []
    case (.pairingMoved(let from, let to), .paid(let payment, _)):
      guard payment == from else {
        guard payment == to else { throw .notPaidBy(from) }
        return []
      }
      state = .paid(by: to, at: now)
      return [.save, .journal(.orderPairingMoved)]
    case (.pairingMoved(let from, _), .awaitingPayment), (.pairingMoved(let from, _), .closed):
      throw .notPaidBy(from)
    }
  }
}
