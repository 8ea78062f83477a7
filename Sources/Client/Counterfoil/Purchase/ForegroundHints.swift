import PaymentPrimitives

/// Follows the app to the foreground: a customer in WeChat counts as back, and a silent store gets a hint (1A.14,
/// 1A.75).
struct ForegroundHints {
  let hintAfter: TimeSpan
  let dependencies: Dependencies
  let tasks: BackgroundTasks
  let flows: PurchaseFlows
  let events: EventBroadcaster

  /// The app is in the foreground again.
  nonisolated(nonsending) func noteForeground() async {
    for number in flows.oldestFirst.map(\.number) {
      guard let flow = flows[number], !flow.isDecided, flow.order != nil else { continue }
      let count = flow.foregrounds + 1
      flows[number]?.foregrounds = count
      flows.customerIsBack(number)
      await tasks.addIsolated { await $0.purchases.hints.hintLater(number, count) }
    }
  }

  nonisolated(nonsending) private func hintLater(_ number: Int, _ count: Int) async {
    guard (try? await dependencies.sleep(hintAfter)) != nil,
      let flow = flows[number], !flow.isDecided, flow.foregrounds == count, let order = flow.order
    else { return }
    events.emit(.slowCallback(order.id))
  }
}
