import PaymentPrimitives

/// Sends the notifications of a simulated WeChat Pay when they are due by its clock; it also completes due payments and
/// refunds.
///
/// It sends several at the same time, so a slow server does not delay the others. They may arrive in another order than
/// their events: WeChat Pay promises none.
package struct WeChatPayNotificationSender: Sendable {
  private enum Event: Sendable {
    case attempted
    case woken
  }

  private let service: SimulatedWeChatPay

  package init(_ service: SimulatedWeChatPay) { self.service = service }

  /// Sends until the task is cancelled. The next sender repeats the attempts that the cancellation stopped.
  package func run() async {
    await withTaskGroup(of: Event.self) { group in
      var inFlight = 0
      var isWaiting = false
      while !Task.isCancelled {
        let slots = WeChatPaySimulatorLimits.attemptsInFlightMax - inFlight
        for notification in await service.takeDueNotifications(upTo: slots) {
          inFlight += 1
          group.addTask {
            await service.attempt(notification)
            return .attempted
          }
        }
        if !isWaiting, inFlight < WeChatPaySimulatorLimits.attemptsInFlightMax {
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

  /// Completes everything that is due, sends everything that is due now, and returns when each attempt has ended. Tests
  /// that move the clock call it.
  ///
  /// - Returns: how many attempts were made.
  @discardableResult package func sendDue() async -> Int {
    var count = 0
    while !Task.isCancelled {
      let due = await service.takeDueNotifications(upTo: WeChatPaySimulatorLimits.attemptsInFlightMax)
      guard !due.isEmpty else { break }
      count += due.count
      await withTaskGroup(of: Void.self) { group in
        for notification in due { group.addTask { await service.attempt(notification) } }
      }
    }
    return count
  }

  /// Waits until something may be due: at its time, or after a change.
  private func waitForWork() async {
    // It listens before it looks, so it misses no change in between.
    let (number, changes) = await service.listen()
    let idle = WeChatPaySimulatorLimits.senderIdle
    let span = min(idle, await service.spanUntilDue() ?? idle)
    guard span > .zero else { return await service.stopListening(number) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await service.dependencies.sleep(span) }
      group.addTask { for await _ in changes { break } }
      await group.next()
      group.cancelAll()
    }
    await service.stopListening(number)
  }
}
