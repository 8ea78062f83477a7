package import PaymentPrimitives

/// A customer's complaint at a store, as the store told it last, and what became of it.
///
/// WeChat Pay wants a first answer within 24 hours and an end within 72 hours. It may otherwise pay the customer from
/// the merchant's account.
package struct Complaint: Hashable, Sendable {
  package static let answeredWithin = TimeSpan.hours(24)
  package static let doneWithin = TimeSpan.hours(72)

  package let appEnvironment: AppEnvironment
  /// The store's number of it.
  package let id: String
  /// When the customer opened it.
  package let openedAt: Timestamp

  /// The store's word for its state, also one that this version does not know.
  package var state: String
  /// How often the customer has complained under this number.
  package var times: Int64
  /// When the customer complained last: the deadlines count from here.
  package var begunAt: Timestamp
  /// When the merchant first answered since then, as far as it is known here.
  package var answeredAt: Timestamp?
  /// When it was first seen to be over; nil while it is open.
  package var doneAt: Timestamp?
  /// Whether the customer has written something that nobody answered.
  package var awaitsReply: Bool
  /// The first of its orders that is known here.
  package var order: OrderIdentifier?
  package var user: UserIdentifier?
  /// What the store says about it, as JSON, without phone numbers and WeChat ids.
  package var facts: String
  /// What customer and merchant wrote, as JSON.
  package var history: String
  /// When the store signed the newest statement about it.
  package var signedDate: Timestamp

  /// A complaint that is seen for the first time.
  package init(
    appEnvironment: AppEnvironment, id: String, openedAt: Timestamp, state: String, facts: String,
    signedDate: Timestamp
  ) {
    self.appEnvironment = appEnvironment
    self.id = id
    self.openedAt = openedAt
    self.state = state
    times = 1
    begunAt = openedAt
    awaitsReply = false
    self.facts = facts
    history = "[]"
    self.signedDate = signedDate
  }

  package var isOpen: Bool { doneAt == nil }

  /// When the first answer is due; nil if there is one, or it is over.
  package var answerDue: Timestamp? { isOpen && answeredAt == nil ? begunAt + Self.answeredWithin : nil }

  /// When the end is due; nil if it is over.
  package var endDue: Timestamp? { isOpen ? begunAt + Self.doneWithin : nil }

  /// The next of the two; nil if it is over.
  package var due: Timestamp? { answerDue ?? endDue }
}
