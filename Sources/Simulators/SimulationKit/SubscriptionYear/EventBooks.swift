import CounterfoilAPI
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization

/// The books of a backend that hears of subscriptions by events alone: what was charged and given back in each month,
/// and on which days each user had a paid period.
///
/// Two users may pay for one subscription in turn. A further purchase on it ends the period before.
///
/// It fails and forgets to answer, as backends do. Each id is booked once.
final class EventBooks: Sendable {
  static let url = "https://backend.example/events"

  fileprivate struct Charge {
    let user: UserIdentifier
    /// The first transaction of its subscription.
    let original: String
    let from: Timestamp
    let price: StatedPrice
  }

  /// A paid period that was not wholly given back.
  fileprivate struct Period: Sendable {
    let user: UserIdentifier
    let from: Timestamp
    let until: Timestamp
  }

  fileprivate struct State {
    var chance: SeededChance
    var ids: Set<String> = []
    var charges: [String: Charge] = [:]
    /// The part that is given back, in thousandths of a percent, by the event that happened last.
    var refunds: [String: (percentage: Int64, date: Timestamp, at: Timestamp)] = [:]
    /// The end of a period by the event that happened last.
    var ends: [String: (until: Timestamp, at: Timestamp)] = [:]
    var repeats = 0
    var problems: [String] = []
  }

  private let state: Mutex<State>

  init(seed: UInt64) { state = Mutex(State(chance: SeededChance(seed: seed, purpose: "the receiver of events"))) }

  /// Events that came again although they were booked.
  var repeats: Int { state.withLock { $0.repeats } }
  /// What the receiver could not understand.
  var problems: [String] { state.withLock { $0.problems } }

  var exchange: HTTPExchange {
    HTTPExchange { [self] request, _ throws(HTTPExchangeError) in
      let luck = state.withLock { $0.chance.number(below: 100) }
      if luck < 10 { return HTTPResponse(status: 503) }
      book(request)
      // It has committed, and its answer is lost.
      if luck < 20 { throw .outcomeUnknown("cut") }
      return HTTPResponse(status: 204)
    }
  }

  private func book(_ request: HTTPRequest) {
    guard let body = try? JSONReader.read(request.body), let id = body["id"]?.string,
      request.fields["webhook-id"] == id
    else { return state.withLock { $0.problems.append("a message without its id") } }
    state.withLock { state in
      guard state.ids.insert(id).inserted else {
        state.repeats += 1
        return
      }
      guard let type = body["type"]?.string.flatMap({ EventType(rawValue: $0) }) else { return }
      state.book(type, body)
    }
  }

  /// What was charged and given back.
  var revenue: MonthlyRevenue {
    state.withLock { state in
      var revenue = MonthlyRevenue()
      for (transaction, charge) in state.charges {
        revenue.sell(charge.price, at: charge.from)
        guard let refund = state.refunds[transaction], refund.percentage > 0 else { continue }
        revenue.giveBack(refund.percentage, of: charge.price, at: refund.date)
      }
      return revenue
    }
  }

  /// The days on which each user had a paid period at noon that was not wholly given back: `subscriber1 2026-03-05`.
  var days: Set<String> {
    let periods = state.withLock { $0.periods() }
    return periods.reduce(into: []) { $0.formUnion(Self.days(of: $1.user, from: $1.from, until: $1.until)) }
  }

  /// The users with a paid period at that moment.
  func users(paidFor moment: Timestamp) -> Set<UserIdentifier> {
    let periods = state.withLock { $0.periods() }
    return Set(periods.filter { $0.from <= moment && moment < $0.until }.map(\.user))
  }

  static func days(of user: UserIdentifier, from: Timestamp, until: Timestamp) -> Set<String> {
    let day = TimeSpan.days(1).milliseconds
    let first = (from.milliseconds + day / 2 - 1) / day
    let last = (until.milliseconds - day / 2 - 1) / day
    guard first <= last else { return [] }
    return Set((first...last).map { "\(user) \(Timestamp(milliseconds: $0 * day).iso8601.prefix(10))" })
  }
}

extension EventBooks.State {
  /// The paid periods that were not wholly given back, each until its end or the next purchase on its subscription.
  fileprivate func periods() -> [EventBooks.Period] {
    var periods: [EventBooks.Period] = []
    for (_, charges) in Dictionary(grouping: charges, by: { $0.value.original }) {
      let starts = charges.map { $0.value.from }.sorted()
      for (transaction, charge) in charges {
        guard (refunds[transaction]?.percentage ?? 0) < MonthlyRevenue.whole, let end = ends[transaction]?.until else {
          continue
        }
        let next = starts.first { $0 > charge.from }
        periods.append(EventBooks.Period(user: charge.user, from: charge.from, until: min(end, next ?? end)))
      }
    }
    return periods
  }

  fileprivate mutating func book(_ type: EventType, _ body: JSONValue) {
    guard let at = body["occurredAt"]?.string.flatMap({ Timestamp(iso8601: $0) }) else {
      return problems.append("\(type.rawValue) without a time")
    }
    // Such as the closing of an order.
    guard let transaction = body["transactionId"]?.string else { return }
    switch type {
    case .purchaseCompleted, .subscriptionPurchased, .subscriptionRenewed:
      guard charges[transaction] == nil else { return problems.append("\(transaction) is charged twice") }
      guard let user = body["userId"]?.string, let price = body["price"],
        let milliunits = price["milliunits"]?.integer, let currency = price["currency"]?.string,
        let original = body["originalTransactionId"]?.string,
        let from = body["purchaseDate"]?.string.flatMap({ Timestamp(iso8601: $0) }),
        let until = body["expiresDate"]?.string.flatMap({ Timestamp(iso8601: $0) })
      else { return problems.append("\(transaction) is charged without a user, a price or a period") }
      charges[transaction] = EventBooks.Charge(
        user: UserIdentifier(user), original: original, from: from,
        price: StatedPrice(milliunits: milliunits, currency: currency))
      end(transaction, at: until, told: at)
    case .periodChanged:
      guard let until = body["expiresDate"]?.string.flatMap({ Timestamp(iso8601: $0) }) else {
        return problems.append("\(transaction) has a changed period without an end")
      }
      end(transaction, at: until, told: at)
    case .purchaseRefunded, .purchaseRefundUndone:
      // A repetition may overtake a later event.
      if let known = refunds[transaction], known.at > at { return }
      let refund = body["refund"]
      guard let date = refund?["at"]?.string.flatMap({ Timestamp(iso8601: $0) }) else {
        return problems.append("\(transaction) is given back without a date")
      }
      refunds[transaction] = (refund?["percentage"]?.integer ?? 0, date, at)
    default: break
    }
  }

  private mutating func end(_ transaction: String, at until: Timestamp, told moment: Timestamp) {
    if let known = ends[transaction], known.at > moment { return }
    ends[transaction] = (until, moment)
  }
}
