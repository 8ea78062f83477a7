import AppStoreProtocol
import PaymentPrimitives
import SimulatorCore

/// Runs the time-driven subscription events: renewals, failed charges, grace periods, ends, and refund decisions. Each
/// takes place at its scheduled time on the App Store's clock (rule AS-CAL-1).
///
/// It stores no state: after a restart it continues from the log.
package struct SubscriptionCalendar: Sendable {
  private let store: SimulatedAppStore

  /// A calendar of a simulated App Store; one is enough.
  package init(_ store: SimulatedAppStore) { self.store = store }

  /// Processes due events until the task is cancelled.
  package func run() async {
    while !Task.isCancelled {
      // It listens before it looks, so it misses no change in between.
      let (number, changes) = await store.listen()
      await keep()
      let span = min(SenderLimits.idle, await store.spanUntilCalendar() ?? SenderLimits.idle)
      if span > .zero {
        await withTaskGroup(of: Void.self) { group in
          group.addTask { try? await store.dependencies.sleep(span) }
          group.addTask { for await _ in changes { break } }
          await group.next()
          group.cancelAll()
        }
      }
      await store.stopListening(number)
    }
  }

  /// Processes everything that is due now, the earliest first, each at its scheduled time. Tests that move the clock
  /// call it.
  ///
  /// - Returns: how many events it processed.
  @discardableResult package func keep() async -> Int {
    var count = 0
    while !Task.isCancelled {
      do throws(CodedError<SimulatorErrorCode>) {
        guard try await store.keepNext() else { break }
      } catch {
        // A write failed, or the log is full: the App Store has already reported it.
        break
      }
      count += 1
    }
    return count
  }
}

extension SimulatedAppStore {
  /// The real time until the next calendar event; nil when none is planned.
  func spanUntilCalendar() -> TimeSpan? {
    guard canWrite, !state.behaviours.isOn(.renewByHand) else { return nil }
    return nextCalendarMoment.map { state.clock.realSpan(of: $0 - now()) }
  }

  private var nextCalendarMoment: Timestamp? {
    [state.dueLines.entries.first?.moment, state.dueRefunds.entries.first?.moment].compactMap(\.self).min()
  }

  /// Processes the earliest due event (rule AS-CAL-1).
  ///
  /// - Returns: whether there was one.
  func keepNext() async throws(CodedError<SimulatorErrorCode>) -> Bool {
    guard canWrite, !state.behaviours.isOn(.renewByHand), let next = nextCalendarMoment, next <= now() else {
      return false
    }
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
  /// Runs the calendar's task for a subscription.
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
      set(standing, of: line, latest, kind: .other(.didFailToRenew, grace == nil ? nil : .gracePeriod))
    case .endGrace:
      standing.failure?.isGraceOver = true
      set(standing, of: line, latest, kind: .other(.gracePeriodExpired))
    case .end(let intent):
      standing.end = intent
      set(standing, of: line, latest, kind: .other(.expired, intent.subtype))
    }
  }

  /// Changes a subscription's state and notifies the server.
  mutating func set(
    _ standing: LineStanding, of line: SimulatedLine, _ latest: SimulatedTransaction, kind: NotificationKind
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
