import CounterfoilAPI
import PaymentPrimitives

/// Waits until the app's backend has acknowledged the grant, if the policy says so. The grant itself is certain either
/// way.
struct DeliveryWait {
  let policies: PurchasingPolicies
  let dependencies: Dependencies
  let server: ServerConnection
  let session: UserSession
  let events: EventBroadcaster

  /// - Returns: `awaitingConfirmation` if the backend does not acknowledge it within the time of a purchase.
  func completed(
    _ outcome: PurchaseOutcome, for user: UserIdentifier, since begin: Timestamp, on client: isolated Purchasing
  ) async -> PurchaseOutcome {
    guard policies.complete == .delivered, case .fulfilled(let order, _) = outcome else {
      return outcome
    }
    let limit = policies.purchaseLimit
    let rest = min(max(limit - (dependencies.now() - begin), .zero), limit)
    let isDelivered = await dependencies.limited(to: rest) {
      await client.isolated { await $0.purchases.delivery.isDelivered(order, user) }
    }
    guard isDelivered == true else { return .awaitingConfirmation(order) }
    events.emit(.delivered(order))
    return outcome
  }

  nonisolated(nonsending) private func isDelivered(_ order: OrderIdentifier, _ user: UserIdentifier) async -> Bool {
    let waitSeconds = policies.waitSeconds
    let server = self.server
    while !Task.isCancelled {
      let reply = await session.asUser(user) {
        await server.order(order, waitingSeconds: waitSeconds, until: .delivered, as: $0)
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
}
