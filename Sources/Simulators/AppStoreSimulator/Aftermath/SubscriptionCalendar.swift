import AppStoreProtocol
import PaymentPrimitives

/// Lets subscriptions go on by themselves: renewals, failed charges, grace, ends, and what the store decides on
/// refunds, each at its moment by the store's clock (rule AS-CAL-1).
///
/// It writes nothing of its own down: after a restart it goes on from what the log tells.
package struct SubscriptionCalendar: Sendable {
  private let store: SimulatedAppStore

  /// A calendar of a store; one is enough.
  package init(_ store: SimulatedAppStore) { self.store = store }

  /// Does what is due, again and again, until the task is cancelled.
  package func run() async {
    while !Task.isCancelled {
      // First listen, then look: what comes in between is not missed.
      let (number, changes) = await store.listen()
      await keep()
      let span = min(SimulatorLimits.senderIdle, await store.spanUntilCalendar() ?? SimulatorLimits.senderIdle)
      if span > .zero {
        await withTaskGroup(of: Void.self) { group in
          group.addTask { try? await store.surroundings.sleep(span) }
          group.addTask { for await _ in changes { break } }
          await group.next()
          group.cancelAll()
        }
      }
      await store.stopListening(number)
    }
  }

  /// Does everything that is due now, the earliest first, as of its own moment: for who moves time himself.
  ///
  /// - Returns: how many things were done.
  @discardableResult package func keep() async -> Int {
    var count = 0
    while !Task.isCancelled {
      do throws(CodedError<SimulatorErrorCode>) {
        guard try await store.keepNext() else { break }
      } catch {
        // Nothing can be written, or nothing more can be kept: the store has said so itself.
        break
      }
      count += 1
    }
    return count
  }
}

extension SimulatedAppStore {
  /// How long, in the world's time, until the calendar has something to do; nil when nothing waits.
  func spanUntilCalendar() -> TimeSpan? {
    guard canWrite, !state.knobs.isOn(.renewByHand) else { return nil }
    return nextCalendarMoment.map { state.clock.realSpan(of: $0 - now()) }
  }

  private var nextCalendarMoment: Timestamp? {
    [state.dueLines.entries.first?.moment, state.dueRefunds.entries.first?.moment].compactMap(\.self).min()
  }

  /// Does the earliest thing that is due (rule AS-CAL-1).
  ///
  /// - Returns: whether there was one.
  func keepNext() async throws(CodedError<SimulatorErrorCode>) -> Bool {
    guard canWrite, !state.knobs.isOn(.renewByHand), let next = nextCalendarMoment, next <= now() else { return false }
    let (line, refund) = (state.dueLines.entries.first, state.dueRefunds.entries.first)
    if let refund, refund.moment == next {
      try await commit(at: next) { decision throws(CodedError<SimulatorErrorCode>) in
        try decision.decideRefund(of: refund.item)
      }
      return state.refundRequests[refund.item] == nil
    }
    guard let line, let task = state.lines[line.item].flatMap({ state.calendarTask(of: $0) }) else { return false }
    return try await commit(at: task.isAtOnce ? nil : next) { decision throws(CodedError<SimulatorErrorCode>) in
      // Another command may have come first.
      guard let known = decision.state.lines[line.item], let task = decision.state.calendarTask(of: known),
        task.moment <= decision.now
      else { return false }
      try decision.keep(known, task.task)
      return decision.event != nil
    }
  }
}

extension CommandContext {
  /// Does what the calendar has to do with a subscription.
  fileprivate mutating func keep(_ line: SimulatedLine, _ task: CalendarTask) throws(CodedError<SimulatorErrorCode>) {
    let latest = try transaction(line.latest)
    var standing = line.standing
    switch task {
    case .renew: _ = try renew(line, latest, isRecovery: false)
    case .recover: _ = try renew(line, latest, isRecovery: true)
    case .follow: try follow(line, latest)
    case .fail:
      guard let end = latest.period?.expiresDate else { return }
      let days = Int64(try app(line.owner.bundleId).gracePeriodDays)
      let grace = days == 0 ? nil : end + state.days(days, latest.environment)
      standing.failure = LineStanding.Failure(since: end, graceUntil: grace, isGraceOver: false)
      set(standing, of: line, latest, .other(.didFailToRenew, grace == nil ? nil : .gracePeriod))
    case .endGrace:
      standing.failure?.isGraceOver = true
      set(standing, of: line, latest, .other(.gracePeriodExpired))
    case .end(let intent):
      standing.end = intent
      set(standing, of: line, latest, .other(.expired, intent.subtype))
    }
  }

  /// Changes how a subscription stands, and tells the server so.
  mutating func set(
    _ standing: LineStanding, of line: SimulatedLine, _ latest: SimulatedTransaction, _ kind: NotificationKind
  ) {
    event = .standingSet(
      line.id, standing,
      notification(
        kind, bundleId: line.owner.bundleId, environment: latest.environment, transaction: latest.id))
  }
}

extension ExpirationIntent {
  fileprivate var subtype: Subtype? {
    switch self {
    case .customerCancelled: .voluntary
    case .billingError: .billingRetry
    case .customerDidNotConsentToPriceIncrease: .priceIncrease
    case .productNotAvailable: .productNotForSale
    case .other: nil
    }
  }
}
