import PaymentPrimitives

/// Sends the notifications of a store when they are due by its clock, as long as it runs.
///
/// Several are under way at a time, so that a slow server does not hold up the others, and they may arrive in another
/// order than their events came: Apple promises none.
package struct NotificationSender: Sendable {
  private enum Event: Sendable {
    case attempted
    case woken
  }

  private let store: SimulatedAppStore

  /// A sender for a store; one is enough.
  package init(_ store: SimulatedAppStore) { self.store = store }

  /// Sends until the task is cancelled. What is under way then is sent again by the next sender.
  package func run() async {
    await withTaskGroup(of: Event.self) { group in
      var inFlight = 0
      var isWaiting = false
      while !Task.isCancelled {
        let slots = SimulatorLimits.attemptsInFlightMax - inFlight
        for notification in await store.takeDueNotifications(upTo: slots) {
          inFlight += 1
          group.addTask {
            await store.attempt(notification)
            return .attempted
          }
        }
        if !isWaiting, inFlight < SimulatorLimits.attemptsInFlightMax {
          isWaiting = true
          group.addTask {
            await waitForWork()
            return .woken
          }
        }
        switch await group.next() {
        case .attempted: inFlight -= 1
        case .woken: isWaiting = false
        case nil: return
        }
      }
      group.cancelAll()
    }
  }

  /// Sends everything that is due now, and comes back when each attempt has ended: for who moves time himself.
  ///
  /// - Returns: how many attempts were made.
  @discardableResult package func sendDue() async -> Int {
    var count = 0
    while !Task.isCancelled {
      let due = await store.takeDueNotifications(upTo: SimulatorLimits.attemptsInFlightMax)
      guard !due.isEmpty else { break }
      count += due.count
      await withTaskGroup(of: Void.self) { group in
        for notification in due { group.addTask { await store.attempt(notification) } }
      }
    }
    return count
  }

  /// Until something may be due: when its time has come, or something changed.
  private func waitForWork() async {
    // First listen, then look: what comes in between is not missed.
    let (number, changes) = await store.listen()
    let span = min(SimulatorLimits.senderIdle, await store.spanUntilDue() ?? SimulatorLimits.senderIdle)
    guard span > .zero else { return await store.stopListening(number) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await store.surroundings.sleep(span) }
      group.addTask { for await _ in changes { break } }
      await group.next()
      group.cancelAll()
    }
    await store.stopListening(number)
  }
}
