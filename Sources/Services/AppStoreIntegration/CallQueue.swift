import AppStoreProtocol
import PaymentEngine
import PaymentPrimitives

/// How urgent a call to a store is.
package enum StoreCallPriority: Int, Comparable, CaseIterable, Sendable {
  /// A customer waits for the goods.
  case livePurchase
  /// A search for late or missing updates.
  case reconciliation
  /// A call that can wait until the next day.
  case background

  package static func < (a: StoreCallPriority, b: StoreCallPriority) -> Bool { a.rawValue < b.rawValue }
}

/// Lets calls to one endpoint pass at its rate: never more than that within any span, the most urgent first.
///
/// It remembers the times of the last calls, as many as one span allows. The next call may go one whole span after
/// the oldest of them. A token bucket would allow twice the rate around a full second.
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

  /// A queue for a rate. At most half of it serves calls that no customer waits for; at most a fifth serves the
  /// background.
  init(_ rate: CallRate) {
    all = RecentCalls(rate)
    unhurried = RecentCalls(CallRate(calls: max(1, rate.calls / 2), span: rate.span))
    background = RecentCalls(CallRate(calls: max(1, rate.calls / 5), span: rate.span))
  }

  var count: Int { waiting.count }

  /// Goes on with another rate. The calls of the last span still count.
  mutating func change(to rate: CallRate) {
    guard rate != all.rate else { return }
    let new = CallQueue(rate)
    all.rate = new.all.rate
    unhurried.rate = new.unhurried.rate
    background.rate = new.background.rate
  }

  /// Adds a call behind those that are at least as urgent.
  mutating func enter(_ priority: StoreCallPriority) -> Ticket {
    lastTicket += 1
    let place = waiting.lastIndex { $0.priority <= priority }.map { $0 + 1 } ?? 0
    waiting.insert(Waiting(ticket: lastTicket, priority: priority), at: place)
    return lastTicket
  }

  mutating func leave(_ ticket: Ticket) { waiting.removeAll { $0.ticket == ticket } }

  /// When this call may go, if no more urgent one comes; now or earlier means at once.
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

  mutating func start(_ ticket: Ticket, at now: Timestamp) {
    guard let place = waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
    let priority = waiting.remove(at: place).priority
    all.note(now)
    if priority >= .reconciliation { unhurried.note(now) }
    if priority == .background { background.note(now) }
  }
}

/// The times of the last calls, at most as many as the rate allows within its span; the oldest first.
private struct RecentCalls {
  var rate: CallRate {
    didSet { moments.removeFirst(max(0, moments.count - rate.calls)) }
  }
  private var moments: [Timestamp] = []

  init(_ rate: CallRate) { self.rate = rate }

  mutating func note(_ now: Timestamp) {
    if moments.count == rate.calls { moments.removeFirst() }
    // After the clock is set back, earlier calls count for no longer than one span.
    moments = moments.map { min($0, now) }
    moments.append(now)
  }

  /// When a further call may go after this number of other calls.
  func moment(after others: Int, at now: Timestamp) -> Timestamp {
    let free = rate.calls - moments.count
    guard others >= free else { return now }
    let place = (others - free) % rate.calls
    let rounds = Int64((others - free) / rate.calls + 1)
    let from = place < moments.count ? min(moments[place], now) : now
    return from + TimeSpan(milliseconds: rate.span.milliseconds * rounds)
  }
}
