import PaymentPrimitives

/// Sends the notifications of a simulated WeChat Pay when they are due by its clock, as long as it runs; payments and
/// refunds that are under way end by it, too.
///
/// Several are under way at a time, so that a slow server does not hold up the others, and they may arrive in another
/// order than their events came: WeChat Pay promises none.
package struct WeChatPayNotificationSender: Sendable {
  private enum Event: Sendable {
    case attempted
    case woken
  }

  private let service: SimulatedWeChatPay

  package init(_ service: SimulatedWeChatPay) { self.service = service }

  /// Sends until the task is cancelled. What is under way then is sent again by the next sender.
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

  /// Lets everything end that is due, sends everything that is due now, and comes back when each attempt has ended:
  /// for who moves time himself.
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

  /// Until something may be due: when its time has come, or something changed.
  private func waitForWork() async {
    // First listen, then look: what comes in between is not missed.
    let (number, changes) = await service.listen()
    let idle = WeChatPaySimulatorLimits.senderIdle
    let span = min(idle, await service.spanUntilDue() ?? idle)
    guard span > .zero else { return await service.stopListening(number) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await service.surroundings.sleep(span) }
      group.addTask { for await _ in changes { break } }
      await group.next()
      group.cancelAll()
    }
    await service.stopListening(number)
  }
}
