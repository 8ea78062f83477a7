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
    await store.noteCalendar(runs: true)
    await keepUntilCancelled()
    await store.noteCalendar(runs: false)
  }

  private func keepUntilCancelled() async {
    while !Task.isCancelled {
      // It listens before it looks, so it misses no change in between.
      let (number, changes) = await store.listen()
      await keep()
      let span = min(SenderLimits.idle, await Self.spanUntilNext(at: store) ?? SenderLimits.idle)
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
        guard try await Self.keepNext(at: store) else { break }
      } catch {
        // A write failed, or the log is full: the App Store has already reported it.
        break
      }
      count += 1
    }
    return count
  }

  /// The real time until the next calendar event; nil when none is planned.
  private static func spanUntilNext(at store: isolated SimulatedAppStore) -> TimeSpan? {
    let state = store.state
    guard store.commands.canWrite, !state.behaviours.isOn(.renewByHand) else { return nil }
    return nextMoment(in: state).map { state.clock.realSpan(of: $0 - store.now()) }
  }

  /// Whether something is due that has not taken place.
  static func isBehind(_ store: isolated SimulatedAppStore) -> Bool {
    guard store.commands.canWrite, !store.state.behaviours.isOn(.renewByHand) else { return false }
    return nextMoment(in: store.state).map { $0 <= store.now() } ?? false
  }

  private static func nextMoment(in state: SimulatorState) -> Timestamp? {
    [state.dueSubscriptions.entries.first?.moment, state.dueRefunds.entries.first?.moment].compactMap(\.self).min()
  }

  /// Processes the earliest due event (rule AS-CAL-1).
  ///
  /// - Returns: whether there was one.
  private static func keepNext(
    at store: isolated SimulatedAppStore
  ) async throws(CodedError<SimulatorErrorCode>) -> Bool {
    guard store.commands.canWrite, !store.state.behaviours.isOn(.renewByHand) else { return false }
    // A kill can leave a mass extension unfinished.
    if try await MassExtensions.step(at: store) { return true }
    guard let next = nextMoment(in: store.state), next <= store.now() else { return false }
    let (subscription, refund) = (store.state.dueSubscriptions.entries.first, store.state.dueRefunds.entries.first)
    if let refund, refund.moment == next {
      try await store.commit(at: next) { decision throws(CodedError<SimulatorErrorCode>) in
        try RefundDecision.decideRequest(of: refund.item, &decision)
      }
      return store.state.refundRequests[refund.item] == nil
    }
    guard let subscription, let known = store.state.subscriptions[subscription.item],
      let task = store.state.calendarTask(of: known)
    else {
      return false
    }
    let seen = store.state.recordCount
    return try await store.commit(at: task.isAtOnce ? nil : next) { decision throws(CodedError<SimulatorErrorCode>) in
      // Another command may have come first, such as the same one for another caller: then there is more to look at.
      guard let known = decision.state.subscriptions[subscription.item],
        let task = decision.state.calendarTask(of: known),
        task.moment <= decision.now
      else { return decision.state.recordCount != seen }
      try keep(known, doing: task.task, &decision)
      return decision.event != nil
    }
  }

  /// Runs the calendar's task for a subscription.
  private static func keep(
    _ subscription: SimulatedSubscription, doing task: CalendarTask, _ decision: inout CommandContext
  ) throws(CodedError<SimulatorErrorCode>) {
    let latest = try decision.transaction(subscription.latest)
    var standing = subscription.standing
    let kind: NotificationKind
    switch task {
    case .renew, .recover:
      _ = try SubscriptionDecision.renew(subscription, isRecovery: task == .recover, &decision)
      return
    case .follow: return try FamilyDecision.follow(subscription, &decision)
    case .fail:
      guard let end = latest.period?.expiresDate else { return }
      let days = Int64(try decision.app(subscription.owner.bundleId).gracePeriodDays)
      let grace = days == 0 ? nil : end + decision.state.days(days, latest.environment)
      standing.failure = SubscriptionStanding.Failure(since: end, graceUntil: grace, isGraceOver: false)
      kind = .other(.didFailToRenew, grace == nil ? nil : .gracePeriod)
    case .endGrace:
      standing.failure?.isGraceOver = true
      kind = .other(.gracePeriodExpired)
    case .end(let intent):
      standing.end = intent
      kind = .other(.expired, intent.subtype)
    }
    try SubscriptionDecision.set(standing, of: subscription, kind: kind, &decision)
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
