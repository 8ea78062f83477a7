import AppStoreProtocol
import PaymentPrimitives

/// How urgent a question to a store is.
package enum StoreCallPriority: Int, Comparable, CaseIterable, Sendable {
  /// A customer waits for the goods.
  case livePurchase
  /// What came late or never is looked for.
  case reconciliation
  /// It may as well be tomorrow.
  case background

  package static func < (a: StoreCallPriority, b: StoreCallPriority) -> Bool { a.rawValue < b.rawValue }
}

/// Lets calls to one endpoint through at its rate: never more than that within any span, the urgent ones first.
///
/// It remembers when the last calls went, as many as the rate lets through at once: the next one may go when the oldest
/// of them lies a whole span back. A leaky count of tokens would let twice the rate through around a full second.
struct CallQueue {
  typealias Ticket = Int

  private struct Waiting {
    let ticket: Ticket
    let priority: StoreCallPriority
  }

  private var all: RecentCalls
  private var unhurried: RecentCalls
  private var background: RecentCalls
  private var waiting: [Waiting] = []
  private var lastTicket = 0

  /// A queue for a rate. At most half of it is for what nobody waits for, at most a fifth for the background.
  init(_ rate: CallRate) {
    all = RecentCalls(rate)
    unhurried = RecentCalls(CallRate(calls: max(1, rate.calls / 2), span: rate.span))
    background = RecentCalls(CallRate(calls: max(1, rate.calls / 5), span: rate.span))
  }

  var count: Int { waiting.count }

  /// Takes a place behind those who are at least as urgent.
  mutating func enter(_ priority: StoreCallPriority) -> Ticket {
    lastTicket += 1
    let place = waiting.lastIndex { $0.priority <= priority }.map { $0 + 1 } ?? 0
    waiting.insert(Waiting(ticket: lastTicket, priority: priority), at: place)
    return lastTicket
  }

  mutating func leave(_ ticket: Ticket) { waiting.removeAll { $0.ticket == ticket } }

  /// When that caller may go, if nobody more urgent comes: now or earlier means at once.
  func moment(for ticket: Ticket, at now: Timestamp) -> Timestamp {
    guard let place = waiting.firstIndex(where: { $0.ticket == ticket }) else { return now }
    let ahead = waiting[..<place]
    let priority = waiting[place].priority
    var moment = all.moment(after: ahead.count, at: now)
    if priority >= .reconciliation {
      let before = ahead.count { $0.priority >= .reconciliation }
      moment = max(moment, unhurried.moment(after: before, at: now))
    }
    if priority == .background {
      let before = ahead.count { $0.priority == .background }
      moment = max(moment, background.moment(after: before, at: now))
    }
    return moment
  }

  mutating func go(_ ticket: Ticket, at now: Timestamp) {
    guard let place = waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
    let priority = waiting.remove(at: place).priority
    all.note(now)
    if priority >= .reconciliation { unhurried.note(now) }
    if priority == .background { background.note(now) }
  }
}

/// When the last calls went, as many as a rate lets through within its span; the oldest first.
private struct RecentCalls {
  private let rate: CallRate
  private var moments: [Timestamp] = []

  init(_ rate: CallRate) { self.rate = rate }

  mutating func note(_ now: Timestamp) {
    if moments.count == rate.calls { moments.removeFirst() }
    // A clock that was set back does not make the calls before it count for longer than a span.
    moments = moments.map { min($0, now) }
    moments.append(now)
  }

  /// When a further call may go after so many others have gone.
  func moment(after others: Int, at now: Timestamp) -> Timestamp {
    let free = rate.calls - moments.count
    guard others >= free else { return now }
    let place = (others - free) % rate.calls
    let rounds = Int64((others - free) / rate.calls + 1)
    let from = place < moments.count ? min(moments[place], now) : now
    return from + TimeSpan(milliseconds: rate.span.milliseconds * rounds)
  }
}
