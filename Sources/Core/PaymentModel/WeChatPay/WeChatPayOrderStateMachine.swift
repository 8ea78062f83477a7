package import PaymentPrimitives

/// The progress of an order at WeChat Pay (docs/specification/states.md, “WeChat Pay order”).
package enum WeChatPayOrderState: Hashable, Sendable {
  /// Recorded. The call to open it may have been sent, and WeChat Pay has not answered.
  case preparing
  /// The call to open it was sent, and its result is unknown.
  case unknown
  case prepared
  /// To be closed for that reason. WeChat Pay is told first; a payment that arrives before the close counts.
  case closing(CloseReason)
  /// Closed at WeChat Pay, or never opened.
  case closed
  case paid

  /// The name of the state, without its details.
  package var name: String {
    switch self {
    case .preparing: "preparing"
    case .unknown: "unknown"
    case .prepared: "prepared"
    case .closing: "closing"
    case .closed: "closed"
    case .paid: "paid"
    }
  }
}

/// What can happen to an order at WeChat Pay.
package enum WeChatPayOrderEvent: Hashable, Sendable {
  /// WeChat Pay opened it, or opened it again.
  case prepared(WeChatPayOrder.Handle)
  /// It is unknown whether WeChat Pay opened it.
  case prepareUnknown
  /// WeChat Pay rejected the first call to open it, for good.
  case prepayRefused
  case close(CloseReason)
  /// WeChat Pay says that it is closed, or was never opened.
  case closedAtStore
  /// A payment that names it was verified and is held.
  case seen(TransactionIdentifier)
  /// A payment of it was verified, and there is nothing left to ask.
  case paid(TransactionIdentifier)
  /// A payment of it was verified and never granted, and all of its money is back with the payer.
  case givenBack(TransactionIdentifier)
}

package enum WeChatPayOrderAction: Hashable, Sendable {
  /// Write it in its new state.
  case save
  /// Call WeChat Pay now, without waiting for the schedule.
  case askNow
  /// Close our order for that reason.
  case closeOrder(CloseReason)
  case journal(JournalEvent)
}

extension WeChatPayOrder {
  /// Applies an event and returns the actions; none if nothing is new. A paid order never changes back, and a closed
  /// one never opens.
  package mutating func receive(_ event: WeChatPayOrderEvent) -> [WeChatPayOrderAction] {
    switch (event, state) {
    case (.seen(let transaction), _):
      guard self.transaction == nil else { return [] }
      self.transaction = transaction
      return [.save]
    case (.givenBack(let transaction), _):
      // Nothing is left to grant, and WeChat Pay accepts no second payment of it: our order ends here.
      let reason: CloseReason = if case .closing(let reason) = state { reason } else { .closedByBackend }
      state = .paid
      self.transaction = transaction
      nextQuestionAt = nil
      return [.save, .closeOrder(reason)]
    case (.paid, .paid): return []
    case (.paid(let transaction), _):
      state = .paid
      self.transaction = transaction
      nextQuestionAt = nil
      return [.save]
    case (_, .paid), (.close, .closed), (.close, .closing), (.closedAtStore, .closed), (.prepareUnknown, .unknown),
      (.prepareUnknown, .prepared), (.prepareUnknown, .closing), (.prepareUnknown, .closed), (.prepayRefused, .unknown),
      (.prepayRefused, .prepared), (.prepayRefused, .closing), (.prepayRefused, .closed):
      return []
    case (.prepayRefused, .preparing):
      state = .closed
      nextQuestionAt = nil
      return [.save, .journal(.prepayRefused), .closeOrder(.prepayRefused)]
    case (.prepared(let new), .preparing), (.prepared(let new), .unknown):
      state = .prepared
      handle = new
      return [.save, .journal(.prepared)]
    case (.prepared(let new), .prepared):
      handle = new
      return [.save]
    case (.prepared, .closing), (.prepared, .closed):
      // Opened after the request to close it: the closing task asks again until WeChat Pay says closed.
      return []
    case (.prepareUnknown, .preparing):
      state = .unknown
      return [.save, .journal(.prepareUnknown)]
    case (.close(let reason), .preparing), (.close(let reason), .unknown), (.close(let reason), .prepared):
      state = .closing(reason)
      questions = 0
      return [.save, .journal(.closingAtStore), .askNow]
    case (.closedAtStore, .preparing), (.closedAtStore, .unknown), (.closedAtStore, .prepared):
      state = .closed
      nextQuestionAt = nil
      return [.save, .journal(.closedAtStore), .closeOrder(.expired)]
    case (.closedAtStore, .closing(let reason)):
      state = .closed
      nextQuestionAt = nil
      return [.save, .journal(.closedAtStore), .closeOrder(reason)]
    }
  }
}

/// When to ask WeChat Pay about an order without updates.
package enum WeChatPayQuestions {
  /// Pauses after the order was created, as WeChat Pay advises (merchant document 4012075249, scheme A).
  package static let afterOrder: [TimeSpan] = [
    .seconds(5), .seconds(30), .minutes(1), .minutes(3), .minutes(5), .minutes(10), .minutes(30),
  ]
  /// The pause after that, until the order ends.
  package static let later = TimeSpan.minutes(30)
  /// Pauses after a request to close an order, while WeChat Pay does not confirm it.
  package static let whileClosing: [TimeSpan] = [
    .seconds(5), .seconds(15), .seconds(30), .minutes(1), .minutes(5), .minutes(10),
  ]
  /// How long a verified "no such order" may mean that the order is not visible yet.
  package static let invisibleFor = TimeSpan.minutes(5)

  /// The time of the next question about an open order: by the schedule, and at the end of its time at the latest.
  package static func next(
    after questions: Int, createdAt: Timestamp, expiresAt: Timestamp, now: Timestamp
  ) -> Timestamp {
    let scheduled = questions < afterOrder.count ? createdAt + afterOrder[questions] : now + later
    let end = max(expiresAt, now + afterOrder[0])
    // After an outage, the server does not catch up on missed questions.
    return min(max(scheduled, now + afterOrder[0]), end)
  }

  /// The time of the next question about an order that is being closed.
  package static func nextWhileClosing(after questions: Int, now: Timestamp) -> Timestamp {
    now + whileClosing[min(max(questions, 0), whileClosing.count - 1)]
  }
}
