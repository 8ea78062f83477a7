package import PaymentPrimitives

/// A refund of a payment at a store that takes refunds from us: WeChat Pay's.
///
/// Our number names it for ever. After any doubt the same is asked for again, never under a new number: so the body is
/// kept before it is first sent.
package struct Refund: Hashable, Sendable {
  package let realm: AppEnvironment
  /// Our number: WeChat Pay's `out_refund_no`.
  package let number: String
  /// The order whose payment goes back.
  package let order: OrderIdentifier?
  /// The payment that goes back, or a part of it.
  package let payment: PaymentKey
  package let amount: Money
  /// What the order was opened for.
  package let total: Money
  /// What the payer reads, and the journal.
  package let reason: String?
  /// The body of the call as JSON text; nil for a refund that somebody made at the store itself.
  package let body: String?
  /// When it was written down here.
  package let createdAt: Timestamp

  package var state: State
  /// The store's number: `refund_id`.
  package var storeNumber: String?
  /// When the store signed the newest news of it.
  package var signedDate: Timestamp?
  /// When the store is asked next; nil when there is nothing to ask any more.
  package var nextQuestionAt: Timestamp?
  package var questions: Int

  package enum State: Hashable, Sendable {
    /// Written down; the store may have been asked for it, and nobody knows whether it took it.
    case asked
    /// The store has taken it, or says so little that it may have.
    case underWay
    /// The money is back with the payer: now its part of the grant is taken back.
    case done(at: Timestamp)
    /// Failed for good, for that reason: a new one needs a new number.
    case failed(String)
    /// The payer's account could not be credited: somebody must act at the store, then it goes on.
    case stuck

    /// The state's word, without its particulars.
    package var word: String {
      switch self {
      case .asked: "asked"
      case .underWay: "underWay"
      case .done: "done"
      case .failed: "failed"
      case .stuck: "stuck"
      }
    }

    /// Whether its money still counts against what can be refunded.
    package var counts: Bool {
      if case .failed = self { false } else { true }
    }

    /// Whether the money is back: nothing changes that any more.
    package var isDone: Bool {
      if case .done = self { true } else { false }
    }

    /// Whether there is nothing left to ask. A failed one changes still if the store has a newer word for it.
    package var isFinal: Bool {
      switch self {
      case .done, .failed: true
      case .asked, .underWay, .stuck: false
      }
    }
  }

  /// A refund that is about to be asked for, or was learned of.
  package init(
    realm: AppEnvironment, number: String, order: OrderIdentifier?, payment: PaymentKey, amount: Money, total: Money,
    reason: String?, body: String?, createdAt: Timestamp
  ) {
    self.realm = realm
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
  case news(VerifiedRefund)
  /// The store refused it for good; its word.
  case refused(String)
}

package enum RefundAction: Hashable, Sendable {
  /// Write it in its new state.
  case store
  /// Take its part of the grant back.
  case takeBack
  case record(String)
}

extension Refund {
  /// Takes an event in and says what follows; no news, no actions. Done stays done.
  ///
  /// Failed does not stay failed against the store's newer word: a refusal may have answered a repetition whose first
  /// request was taken, and then the money goes back all the same.
  package mutating func receive(_ event: RefundEvent, at now: Timestamp) -> [RefundAction] {
    guard !state.isDone else { return [] }
    switch event {
    case .refused(let word):
      // Only before anything was heard of it: a refusal of a repetition says nothing about the first.
      guard state == .asked else { return [] }
      return become(.failed(word), at: now)
    case .news(let news):
      // An older word never overwrites a newer one.
      if let known = signedDate, news.signedDate < known { return [] }
      signedDate = news.signedDate
      storeNumber = news.storeNumber
      switch news.progress {
      case .underWay, .unknown: return become(.underWay, at: now)
      case .done(let moment): return become(.done(at: moment ?? now), at: now) + [.takeBack]
      case .closed: return become(.failed("CLOSED"), at: now)
      case .stuck: return become(.stuck, at: now)
      }
    }
  }

  /// What is not final has its next question: also a refund that somebody made at the store itself.
  private mutating func become(_ new: State, at now: Timestamp) -> [RefundAction] {
    let isNew = state != new
    state = new
    if new.isFinal {
      nextQuestionAt = nil
    } else if nextQuestionAt == nil {
      nextQuestionAt = RefundQuestions.next(after: questions, now: now)
    }
    return isNew ? [.store, .record("refund.\(new.word)")] : [.store]
  }
}

/// When the store is asked about a refund.
package enum RefundQuestions {
  /// After it was asked for: balances are credited within minutes, bank cards within days.
  package static let schedule: [TimeSpan] = [
    .minutes(1), .minutes(5), .minutes(20), .hours(1), .hours(6), .hours(12),
  ]

  /// When it is asked about next.
  package static func next(after questions: Int, now: Timestamp) -> Timestamp {
    now + schedule[min(max(questions, 0), schedule.count - 1)]
  }
}
