import AppStoreProtocol
package import PaymentPrimitives
import SimulatorCore

/// Extensions of paid periods, of one subscription or of all to a product.
package struct RenewalExtensions: Sendable {
  let store: SimulatedAppStore

  /// Extends the current period of a subscription (rule AS-EXT-1).
  ///
  /// - Parameter days: 1 to 90.
  /// - Returns: the new end.
  /// - Throws: `subscriptionUnknown`, `notRenewing` for one that is not active, or `fieldInvalid`.
  nonisolated(nonsending) package func extend(
    of id: TransactionIdentifier, byDays days: Int64
  ) async throws(CodedError<SimulatorErrorCode>) -> Timestamp {
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      try Self.extend(of: id, byDays: days, &decision)
    }
  }

  /// Extends all active subscriptions to a product, one after the other, and notifies the server of the results (rule
  /// AS-EXT-2).
  ///
  /// - Returns: how many extensions succeeded, and how many failed.
  /// - Throws: `productUnknown`, or `fieldInvalid`.
  nonisolated(nonsending) package func extendAll(
    of product: StoreProductIdentifier, bundleId: String, byDays days: Int64, requestIdentifier: String
  ) async throws(CodedError<SimulatorErrorCode>) -> (succeeded: Int, failed: Int) {
    try await Self.extendAll(of: product, bundleId, byDays: days, requestIdentifier: requestIdentifier, at: store)
  }

  private static func extendAll(
    of product: StoreProductIdentifier, _ bundleId: String, byDays days: Int64, requestIdentifier: String,
    at store: isolated SimulatedAppStore
  ) async throws(CodedError<SimulatorErrorCode>) -> (succeeded: Int, failed: Int) {
    guard store.state.products[bundleId]?[product] != nil else { throw CodedError(.productUnknown) }
    guard (1...SimulatorLimits.extensionDaysMax).contains(days), (1...64).contains(requestIdentifier.utf8.count) else {
      throw CodedError(.fieldInvalid, "days must be 1 to \(SimulatorLimits.extensionDaysMax).")
    }
    var (succeeded, failed) = (0, 0)
    for id in subscriptions(of: product, bundleId, in: store.state) {
      do throws(CodedError<SimulatorErrorCode>) {
        try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
          _ = try Self.extend(of: id, byDays: days, &decision)
        }
        succeeded += 1
      } catch {
        guard error.code == .notRenewing, store.state.subscriptions[id]?.standing.end == nil else { continue }
        failed += 1
        try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
          let latest = try decision.transaction(try decision.subscription(id).latest)
          decision.event = .told(decision.notification(.other(.renewalExtension, .failure), about: latest))
        }
      }
    }
    let counts = (succeeded, failed)
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      var summary = try Self.summary(of: product, bundleId, counts: counts, decision)
      summary.requestIdentifier = requestIdentifier
      var facts = decision.notification(
        .other(.renewalExtension, .summary), bundleId: bundleId, environment: environment(of: bundleId, decision.state),
        transaction: nil)
      facts.content = .summary(summary)
      decision.event = .told(facts)
    }
    return counts
  }

  // MARK: decisions

  private static func extend(
    of id: TransactionIdentifier, byDays days: Int64, _ decision: inout CommandContext
  ) throws(CodedError<SimulatorErrorCode>) -> Timestamp {
    let (_, latest) = try SubscriptionDecision.running(id, decision)
    guard (1...SimulatorLimits.extensionDaysMax).contains(days) else {
      throw CodedError(.fieldInvalid, "days must be 1 to \(SimulatorLimits.extensionDaysMax).")
    }
    guard let end = latest.period?.expiresDate, end > decision.now else {
      throw CodedError(.notRenewing, "It is not active.")
    }
    let later = end + .days(days)
    decision.event = .renewalExtended(
      latest.id, until: later, decision.notification(.other(.renewalExtended), about: latest))
    return later
  }

  /// The subscriptions that customers themselves pay for.
  private static func subscriptions(
    of product: StoreProductIdentifier, _ bundleId: String, in state: SimulatorState
  ) -> [TransactionIdentifier] {
    state.subscriptions.values
      .filter {
        $0.owner.bundleId == bundleId && state.transactions[$0.latest]?.product == product && $0.sharedFrom == nil
      }
      .map(\.id).sorted()
  }

  private static func summary(
    of product: StoreProductIdentifier, _ bundleId: String, counts: (succeeded: Int, failed: Int),
    _ decision: CommandContext
  ) throws(CodedError<SimulatorErrorCode>) -> NotificationSummary {
    let app = try decision.app(bundleId)
    let environment = environment(of: bundleId, decision.state)
    var summary = NotificationSummary()
    summary.environment = .known(environment.word)
    summary.appAppleId = environment == .production ? app.appAppleId : nil
    summary.bundleId = bundleId
    summary.productId = product.text
    summary.succeededCount = Int64(counts.succeeded)
    summary.failedCount = Int64(counts.failed)
    return summary
  }

  /// Where the app's first subscription was bought.
  private static func environment(of bundleId: String, _ state: SimulatorState) -> SimulatedEnvironment {
    let known = state.subscriptions.values.filter { $0.owner.bundleId == bundleId }.min { $0.id < $1.id }
    return known.flatMap { state.transactions[$0.latest]?.environment } ?? .production
  }
}
