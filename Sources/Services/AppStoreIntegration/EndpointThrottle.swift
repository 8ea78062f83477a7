import AppStoreProtocol
import HTTPMessages
import PaymentEngine
import PaymentPrimitives

/// The state of one endpoint in one environment: waiting calls, calls in flight, and whether it is paused.
struct EndpointThrottle {
  enum Permission {
    case now
    case wait(until: Timestamp)
    case busy(until: Timestamp)
  }

  private let limits: AppStoreGatewayLimits
  private var queue: CallQueue
  private var breaker: CircuitBreaker
  private var closedUntil: Timestamp?
  /// When the pause was set; if the present time is before it, the clock was set back.
  private var closedAt: Timestamp?
  private var inFlight = 0
  private var inFlightUnhurried = 0

  init(_ rate: CallRate, _ limits: AppStoreGatewayLimits) {
    self.limits = limits
    queue = CallQueue(rate)
    breaker = CircuitBreaker(threshold: limits.breakerThreshold, pause: limits.breakerPause)
  }

  /// Keeps to a share of the endpoint's rate.
  mutating func change(to rate: CallRate) { queue.change(to: rate) }

  /// A place in the queue; nil when it is full.
  mutating func enter(_ priority: StoreCallPriority) -> CallQueue.Ticket? {
    queue.count < limits.waitingMax ? queue.enter(priority) : nil
  }

  mutating func leave(_ ticket: CallQueue.Ticket) { queue.leave(ticket) }

  /// Whether the caller may go now; if so, the call counts as started.
  mutating func ask(
    _ ticket: CallQueue.Ticket, _ priority: StoreCallPriority, at now: Timestamp, deadline: Timestamp
  ) -> Permission {
    if let closedUntil, now < closedUntil, closedAt.map({ $0 <= now }) ?? true {
      return closedUntil <= deadline ? .wait(until: closedUntil) : .busy(until: closedUntil)
    }
    let moment = queue.moment(for: ticket, at: now)
    if moment > now { return moment <= deadline ? .wait(until: moment) : .busy(until: moment) }
    guard breaker.slots(inFlight: inFlight, most: limits.inFlightMax, at: now) > 0,
      priority == .livePurchase || inFlightUnhurried < limits.inFlightUnhurriedMax
    else {
      let next = breaker.nextProbe(at: now) ?? now
      return .busy(until: next > now ? next : now + limits.inFlightPause)
    }
    queue.start(ticket, at: now)
    breaker.starts(at: now)
    inFlight += 1
    if priority != .livePurchase { inFlightUnhurried += 1 }
    return .now
  }

  /// Records the end of a call; returns whether the endpoint is paused from now on because of it.
  mutating func completed(_ health: Health, _ priority: StoreCallPriority, at now: Timestamp) -> Bool {
    inFlight -= 1
    if priority != .livePurchase { inFlightUnhurried -= 1 }
    switch health {
    case .good: breaker.succeeded()
    case .failing:
      breaker.failed(at: now)
      return breaker.hasJustOpened
    case .limited(let until):
      // A time in the past would be no pause at all.
      let until = max(until ?? now + limits.limitedPause, now + limits.limitedPauseMin)
      let wasSetBack = closedAt.map { now < $0 } ?? false
      closedUntil = max(wasSetBack ? now : closedUntil ?? now, min(until, now + limits.limitedPauseMax))
      closedAt = now
    case .unheard: break
    }
    return false
  }

  /// What a call shows about the endpoint.
  enum Health {
    case good
    /// It does not answer, or answers with an error.
    case failing
    /// It refuses calls until this time.
    case limited(Timestamp?)
    /// The call was cancelled before it showed anything.
    case unheard
  }
}
