import CounterfoilAPI
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization

/// The books of a backend that hears of subscriptions by events alone: what was charged and given back in each month,
/// and on which days each user had a paid period.
///
/// It fails and forgets to answer, as backends do. Each id is booked once.
final class EventBooks: Sendable {
  static let url = "https://backend.example/events"

  /// Sums in thousandths of a currency's main unit, by month and currency: `2026-03 CNY`.
  typealias Revenue = [String: Int64]

  fileprivate struct Charge {
    let user: UserIdentifier
    let from: Timestamp
    let milliunits: Int64
    let currency: String
  }

  fileprivate struct State {
    var chance: SeededChance
    var ids: Set<String> = []
    var charges: [String: Charge] = [:]
    /// The part that is given back, in thousandths of a percent, by the event that happened last.
    var refunds: [String: (percentage: Int64, at: Timestamp)] = [:]
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

  /// What was charged, less what was given back.
  var revenue: Revenue {
    state.withLock { state in
      state.charges.reduce(into: [:]) { sums, entry in
        let left = 100_000 - (state.refunds[entry.key]?.percentage ?? 0)
        sums[Self.month(entry.value.from, entry.value.currency), default: 0] += entry.value.milliunits * left / 100_000
      }
    }
  }

  /// The days on which each user had a paid period at noon that was not wholly given back: `subscriber1 2026-03-05`.
  var days: Set<String> {
    state.withLock { state in
      state.charges.reduce(into: []) { days, entry in
        guard (state.refunds[entry.key]?.percentage ?? 0) < 100_000 else { return }
        let until = state.ends[entry.key]?.until ?? entry.value.from
        days.formUnion(Self.days(of: entry.value.user, from: entry.value.from, until: until))
      }
    }
  }

  static func month(_ moment: Timestamp, _ currency: String) -> String { "\(moment.iso8601.prefix(7)) \(currency)" }

  static func days(of user: UserIdentifier, from: Timestamp, until: Timestamp) -> Set<String> {
    let day = TimeSpan.days(1).milliseconds
    let first = (from.milliseconds + day / 2 - 1) / day
    let last = (until.milliseconds - day / 2 - 1) / day
    guard first <= last else { return [] }
    return Set((first...last).map { "\(user) \(Timestamp(milliseconds: $0 * day).iso8601.prefix(10))" })
  }
}

extension EventBooks.State {
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
        let from = body["purchaseDate"]?.string.flatMap({ Timestamp(iso8601: $0) }),
        let until = body["expiresDate"]?.string.flatMap({ Timestamp(iso8601: $0) })
      else { return problems.append("\(transaction) is charged without a user, a price or a period") }
      charges[transaction] = EventBooks.Charge(
        user: UserIdentifier(user), from: from, milliunits: milliunits, currency: currency)
      end(transaction, at: until, told: at)
    case .periodChanged:
      guard let until = body["expiresDate"]?.string.flatMap({ Timestamp(iso8601: $0) }) else {
        return problems.append("\(transaction) has a changed period without an end")
      }
      end(transaction, at: until, told: at)
    case .purchaseRefunded, .purchaseRefundUndone:
      // A repetition may overtake a later event.
      if let known = refunds[transaction], known.at > at { return }
      refunds[transaction] = (body["refund"]?["percentage"]?.integer ?? 0, at)
    default: break
    }
  }

  private mutating func end(_ transaction: String, at until: Timestamp, told moment: Timestamp) {
    if let known = ends[transaction], known.at > moment { return }
    ends[transaction] = (until, moment)
  }
}
