package import PaymentPrimitives

/// A refund of a payment at a store that accepts refund requests from us: WeChat Pay.
///
/// Our number identifies it for ever. In doubt, the same request is repeated, never under a new number. So the body is
/// kept before it is first sent.
package struct Refund: Hashable, Sendable {
  package let appEnvironment: AppEnvironment
  /// Our number: WeChat Pay's `out_refund_no`.
  package let number: String
  /// The order of the refunded payment.
  package let order: OrderIdentifier?
  /// The payment that is refunded, in whole or in part.
  package let payment: PaymentKey
  package let amount: Money
  /// The amount of the order.
  package let total: Money
  /// The text for the payer and the journal.
  package let reason: String?
  /// The body of the call as JSON text; nil for a refund that was made at the store itself.
  package let body: String?
  /// When it was recorded here. For one that was made at the store itself: when the store made it, as far as it says.
  package let createdAt: Timestamp

  package var state: State
  /// The store's number: `refund_id`.
  package var storeNumber: String?
  /// When the store signed the newest update about it.
  package var signedDate: Timestamp?
  /// When to ask the store next; nil if there is nothing left to ask.
  package var nextQuestionAt: Timestamp?
  package var questions: Int

  package enum State: Hashable, Sendable {
    /// Recorded. The request may have been sent, and it is unknown whether the store accepted it.
    case asked
    /// The store accepted it, or its answer is so unclear that it may have.
    case underWay
    /// The payer has the money back: now its part of the grant is taken back.
    case done(at: Timestamp)
    /// Failed for good, for that reason; another refund needs a new number.
    case failed(String)
    /// The payer's account could not be credited. An operator must act at the store; then it continues.
    case stuck

    /// The name of the state, without its details.
    package var name: String {
      switch self {
      case .asked: "asked"
      case .underWay: "underWay"
      case .done: "done"
      case .failed: "failed"
      case .stuck: "stuck"
      }
    }

    /// Whether its amount still reduces what can be refunded.
    package var counts: Bool {
      if case .failed = self { false } else { true }
    }

    /// Whether the money is back; this state never changes.
    package var isDone: Bool {
      if case .done = self { true } else { false }
    }

    /// Whether there is nothing left to ask. A failed refund still changes if the store has a newer statement.
    package var isFinal: Bool {
      switch self {
      case .done, .failed: true
      case .asked, .underWay, .stuck: false
      }
    }
  }

  /// A refund that is about to be requested, or that the store reported.
  package init(
    appEnvironment: AppEnvironment, number: String, order: OrderIdentifier?, payment: PaymentKey, amount: Money,
    total: Money,
    reason: String?, body: String?, createdAt: Timestamp
  ) {
    self.appEnvironment = appEnvironment
    self.number = number
    self.order = order
    self.payment = payment
    self.amount = amount
    self.total = total
    self.reason = reason
    self.body = body
    self.createdAt = createdAt
    self.state = .asked
    self.questions = 0
  }
}

/// What can happen to a refund.
package enum RefundEvent: Hashable, Sendable {
  case update(VerifiedRefund)
  /// The store rejected it for good; its error word.
  case refused(String)
}

package enum RefundAction: Hashable, Sendable {
  /// Write it in its new state.
  case save
  /// Take its part of the grant back.
  case takeBack
  case journal(JournalEvent)
}

extension Refund {
  /// Applies an event and returns the actions; none if nothing is new. A finished refund stays finished.
  ///
  /// A failed refund can change by a newer statement of the store. The error may have answered a repeat whose first
  /// request was accepted; then the money is refunded anyway.
  package mutating func receive(_ event: RefundEvent, at now: Timestamp) -> [RefundAction] {
    guard !state.isDone else { return [] }
    switch event {
    case .refused(let word):
      // Only before the first answer: an error for a repeat says nothing about the first request.
      guard state == .asked else { return [] }
      return become(.failed(word), at: now)
    case .update(let update):
      // An older statement never replaces a newer one.
      if let known = signedDate, update.signedDate < known { return [] }
      signedDate = update.signedDate
      storeNumber = update.storeNumber
      switch update.progress {
      case .underWay, .unknown: return become(.underWay, at: now)
      case .done(let moment): return become(.done(at: moment ?? now), at: now) + [.takeBack]
      case .closed: return become(.failed("CLOSED"), at: now)
      case .stuck: return become(.stuck, at: now)
      }
    }
  }

  /// Every refund that is not final has a next question, also one that was made at the store itself.
  private mutating func become(_ new: State, at now: Timestamp) -> [RefundAction] {
    let isNew = state != new
    state = new
    if new.isFinal {
      nextQuestionAt = nil
    } else if nextQuestionAt == nil {
      nextQuestionAt = RefundQuestions.next(after: questions, now: now)
    }
    return isNew ? [.save, .journal(.refund(new))] : [.save]
  }
}

/// When to ask the store about a refund.
package enum RefundQuestions {
  /// Pauses after the request: balances are credited within minutes, bank cards within days.
  package static let schedule: [TimeSpan] = [
    .minutes(1), .minutes(5), .minutes(20), .hours(1), .hours(6), .hours(12),
  ]

  /// The time of the next question.
  package static func next(after questions: Int, now: Timestamp) -> Timestamp {
    now + schedule[min(max(questions, 0), schedule.count - 1)]
  }
}
