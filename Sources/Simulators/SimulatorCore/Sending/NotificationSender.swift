package import PaymentPrimitives

/// A simulator that has notifications to send.
package protocol NotificationSource: Actor {
  associatedtype PendingNotification: Sendable

  nonisolated var dependencies: Dependencies { get }

  /// Takes due notifications, oldest first. The caller must attempt each of them.
  func takeDueNotifications(upTo count: Int) async -> [PendingNotification]
  /// Sends a taken notification and records the result.
  func attempt(_ notification: PendingNotification) async
  /// The real time until something is due; nil when nothing waits.
  func spanUntilDue() -> TimeSpan?
  /// A stream that yields after each command, until `stopListening` gets its number.
  func listen() -> (number: Int, changes: AsyncStream<Void>)
  func stopListening(_ number: Int)
}

/// Sends the notifications of a simulator when they are due by its clock.
///
/// It sends several at the same time, so a slow server does not delay the others. They may arrive in another order than
/// their events: neither Apple nor WeChat Pay promises one.
package struct NotificationSender<Source: NotificationSource>: Sendable {
  private enum Event: Sendable {
    case attempted
    case woken
  }

  private let source: Source

  /// A sender for a simulator; one is enough.
  package init(_ source: Source) { self.source = source }

  /// Sends until the task is cancelled. The next sender repeats the attempts that the cancellation stopped.
  package func run() async {
    await withTaskGroup(of: Event.self) { group in
      var inFlight = 0
      var isWaiting = false
      while !Task.isCancelled {
        let slots = SenderLimits.attemptsInFlightMax - inFlight
        for notification in await source.takeDueNotifications(upTo: slots) {
          inFlight += 1
          group.addTask {
            await source.attempt(notification)
            return .attempted
          }
        }
        if !isWaiting, inFlight < SenderLimits.attemptsInFlightMax {
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
      let due = await source.takeDueNotifications(upTo: SenderLimits.attemptsInFlightMax)
      guard !due.isEmpty else { break }
      count += due.count
      await withTaskGroup(of: Void.self) { group in
        for notification in due { group.addTask { await source.attempt(notification) } }
      }
    }
    return count
  }

  /// Waits until a notification may be due: at its time, or after a change.
  private func waitForWork() async {
    // It listens before it looks, so it misses no change in between.
    let (number, changes) = await source.listen()
    let span = min(SenderLimits.idle, await source.spanUntilDue() ?? SenderLimits.idle)
    guard span > .zero else { return await source.stopListening(number) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await source.dependencies.sleep(span) }
      group.addTask { for await _ in changes { break } }
      await group.next()
      group.cancelAll()
    }
    await source.stopListening(number)
  }
}

package enum SenderLimits {
  /// Attempts in progress at the same time: one slow server must not delay the others.
  static let attemptsInFlightMax = 16
  /// How long a sender sleeps when nothing is due; a new notification or a change of the clock wakes it at once.
  package static let idle = TimeSpan.minutes(10)
}
