import AppStoreProtocol
package import PaymentPrimitives
import SimulatorCore

/// Extensions of paid periods by the control API, of one subscription or of all to a product. The App Store Server API
/// has the same rules.
package struct RenewalExtensions: Sendable {
  let store: SimulatedAppStore

  /// Extends the current period of a subscription (rules AS-EXT-1, AS-EXT-3).
  ///
  /// - Parameter days: 1 to 90.
  /// - Returns: the new end.
  /// - Throws: `subscriptionUnknown`, `notRenewing` for one that is not active, `extensionNotAllowed`, or
  ///   `fieldInvalid`.
  nonisolated(nonsending) package func extend(
    of id: TransactionIdentifier, byDays days: Int64
  ) async throws(CodedError<SimulatorErrorCode>) -> Timestamp {
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      try Self.check(days)
      let subscription = try decision.subscription(id)
      let latest = try decision.transaction(subscription.latest)
      if let refusal = ExtensionDecision.refusal(of: subscription, latest, decision) {
        throw refusal == .notActive
          ? CodedError(.notRenewing, "It is not active.") : CodedError(.extensionNotAllowed, refusal.words)
      }
      return ExtensionDecision.extend(latest, byDays: days, &decision)
    }
  }

  /// Extends all active subscriptions to a product, one after the other, and notifies the server of the results (rule
  /// AS-EXT-2).
  ///
  /// - Parameters:
  ///   - environment: default: where the app's first subscription was bought.
  ///   - storefronts: the countries whose subscribers are meant; default: all.
  /// - Returns: how many extensions succeeded, and how many failed.
  /// - Throws: `productUnknown`, or `fieldInvalid`.
  nonisolated(nonsending) package func extendAll(
    of product: StoreProductIdentifier, bundleId: String, byDays days: Int64, requestIdentifier: String,
    environment: SimulatedEnvironment? = nil, storefronts: [String]? = nil
  ) async throws(CodedError<SimulatorErrorCode>) -> (succeeded: Int, failed: Int) {
    let number = try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      try Self.check(days)
      guard case .autoRenewable = decision.state.products[bundleId]?[product]?.kind else {
        throw CodedError(.productUnknown)
      }
      guard (1...SimulatorLimits.requestIdentifierBytesMax).contains(requestIdentifier.utf8.count),
        storefronts.map(ExtensionForm.areStorefronts) ?? true
      else { throw CodedError(.fieldInvalid, "A request has an identifier, and three letters for each country.") }
      let request = SimulatedMassExtension(
        requestIdentifier: requestIdentifier, bundleId: bundleId, product: product,
        environment: environment ?? Self.environment(of: bundleId, decision.state), days: days,
        storefronts: storefronts)
      guard !ExtensionRecords.isUsed(request, in: decision.state) else {
        throw CodedError(.fieldInvalid, "The request identifier was used before.")
      }
      guard decision.state.massExtensions.count < SimulatorLimits.massExtensionsMax else {
        throw CodedError(.full, "It has \(SimulatorLimits.massExtensionsMax) mass extensions.")
      }
      return MassExtensions.ask(request, &decision)
    }
    return try await Self.workThrough(number, at: store)
  }

  private static func workThrough(
    _ number: Int, at store: isolated SimulatedAppStore
  ) async throws(CodedError<SimulatorErrorCode>) -> (succeeded: Int, failed: Int) {
    try await MassExtensions.workThrough(at: store)
    let request = store.state.massExtensions[number]
    return (request.succeeded, request.failed)
  }

  private static func check(_ days: Int64) throws(CodedError<SimulatorErrorCode>) {
    guard (1...SimulatorLimits.extensionDaysMax).contains(days) else {
      throw CodedError(.fieldInvalid, "days must be 1 to \(SimulatorLimits.extensionDaysMax).")
    }
  }

  /// Where the app's first subscription was bought.
  private static func environment(of bundleId: String, _ state: SimulatorState) -> SimulatedEnvironment {
    let known = state.subscriptions.values.filter { $0.owner.bundleId == bundleId }.min { $0.id < $1.id }
    return known.flatMap { state.transactions[$0.latest]?.environment } ?? .production
  }
}

extension ExtensionRefusal {
  fileprivate var words: String {
    switch self {
    case .familyShared: "A family member has it."
    case .notActive: "It is not active."
    case .freeOffer: "Its period is free."
    case .usedUp: "It was extended twice in 365 days."
    }
  }
}
