import CounterfoilAPI
import PaymentPrimitives

extension Purchasing {
  /// Waits until the app's backend has acknowledged the grant, if the policy says so. The grant itself is certain
  /// either way.
  ///
  /// - Returns: `awaitingConfirmation` if the backend does not acknowledge it within the time of a purchase.
  func completed(
    _ outcome: PurchaseOutcome, for user: UserIdentifier, since begin: Timestamp
  ) async -> PurchaseOutcome {
    guard configuration.policies.complete == .delivered, case .fulfilled(let order, _) = outcome else {
      return outcome
    }
    let limit = configuration.policies.purchaseLimit
    let rest = min(max(limit - (dependencies.now() - begin), .zero), limit)
    let isDelivered = await dependencies.limited(to: rest) { await self.isDelivered(order, user) }
    guard isDelivered == true else { return .awaitingConfirmation(order) }
    emit(.delivered(order))
    return outcome
  }

  private func isDelivered(_ order: OrderIdentifier, _ user: UserIdentifier) async -> Bool {
    let policies = configuration.policies
    let server = self.server
    while !Task.isCancelled {
      let reply = await asUser(user) {
        await server.order(order, waitingSeconds: policies.waitSeconds, until: .delivered, as: $0)
      }
      var pause = TimeSpan.seconds(1)
      switch reply {
      case .answered(let body) where body.delivery == .acknowledged || body.delivery == .none: return true
      case .answered(let body) where body.delivery == .parked: return false
      case .answered: break
      case .unknown(_, let retryAfter): pause = max(retryAfter ?? .zero, .seconds(10))
      case .refused, .noCredential: return false
      }
      try? await dependencies.sleep(dependencies.jittered(pause))
    }
    return false
  }

  // MARK: the app comes to the foreground

  /// The app is in the foreground again. A customer in WeChat counts as back, and the hint's delay begins (1A.14,
  /// 1A.75).
  func noteForeground() async {
    for number in flows.keys.sorted() {
      guard let flow = flows[number], !flow.isDecided, flow.order != nil else { continue }
      let count = flow.foregrounds + 1
      flows[number]?.foregrounds = count
      comeBack(number)
      await tasks.add { await self.hintLater(number, count) }
    }
  }

  private func hintLater(_ number: Int, _ count: Int) async {
    guard (try? await dependencies.sleep(configuration.policies.hintAfter)) != nil,
      let flow = flows[number], !flow.isDecided, flow.foregrounds == count, let order = flow.order
    else { return }
    emit(.slowCallback(order.id))
  }
}
