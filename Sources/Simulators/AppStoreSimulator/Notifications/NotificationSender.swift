import PaymentPrimitives

/// Sends the notifications of a simulated App Store when they are due by its clock.
///
/// It sends several at the same time, so a slow server does not delay the others. They may arrive in another order than
/// their events: Apple promises none.
package struct NotificationSender: Sendable {
  private enum Event: Sendable {
    case attempted
    case woken
  }

  private let store: SimulatedAppStore

  /// A sender for a simulated App Store; one is enough.
  package init(_ store: SimulatedAppStore) { self.store = store }

  /// Sends until the task is cancelled. The next sender repeats the attempts that the cancellation stopped.
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

  /// Sends everything that is due now, and returns when each attempt has ended. Tests that move the clock call it.
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

  /// Waits until a notification may be due: at its time, or after a change.
  private func waitForWork() async {
    // It listens before it looks, so it misses no change in between.
    let (number, changes) = await store.listen()
    let span = min(SimulatorLimits.senderIdle, await store.spanUntilDue() ?? SimulatorLimits.senderIdle)
    guard span > .zero else { return await store.stopListening(number) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await store.dependencies.sleep(span) }
      group.addTask { for await _ in changes { break } }
      await group.next()
      group.cancelAll()
    }
    await store.stopListening(number)
  }
}
