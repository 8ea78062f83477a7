import AppStoreProtocol
import PaymentPrimitives
import SimulatorCore

/// Works through the requests to extend all subscriptions to a product, one subscription at a time (rule AS-EXT-2).
///
/// Each step is a command. After a kill the calendar continues with the subscriptions that are left.
enum MassExtensions {
  /// Records a request.
  ///
  /// - Returns: its place in the list of requests.
  static func ask(_ request: SimulatedMassExtension, _ decision: inout CommandContext) -> Int {
    decision.event = .massExtension(.asked(request))
    return decision.state.massExtensions.count
  }

  static func workThrough(at store: isolated SimulatedAppStore) async throws(CodedError<SimulatorErrorCode>) {
    while try await step(at: store) {}
  }

  /// Processes the next subscription of the first open request, or ends the request.
  ///
  /// - Returns: whether there was an open request.
  static func step(at store: isolated SimulatedAppStore) async throws(CodedError<SimulatorErrorCode>) -> Bool {
    guard store.state.massExtensions.contains(where: { $0.completeDate == nil }) else { return false }
    return try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      // Another command may have come first.
      guard let number = decision.state.massExtensions.firstIndex(where: { $0.completeDate == nil }) else {
        return false
      }
      let request = decision.state.massExtensions[number]
      guard let id = request.remaining.last else {
        decision.event = .massExtension(.ended(request: number, try summary(of: request, decision)))
        return true
      }
      let subscription = try decision.subscription(id)
      let latest = try decision.transaction(subscription.latest)
      if ExtensionDecision.refusal(of: subscription, latest, decision) == nil {
        _ = ExtensionDecision.extend(latest, byDays: request.days, request: number, &decision)
      } else {
        let failure = decision.notification(.other(.renewalExtension, .failure), about: latest)
        decision.event = .massExtension(.failed(request: number, failure))
      }
      return true
    }
  }

  private static func summary(
    of request: SimulatedMassExtension, _ decision: CommandContext
  ) throws(CodedError<SimulatorErrorCode>) -> SimulatedNotification.Facts {
    let app = try decision.app(request.bundleId)
    var summary = NotificationSummary()
    summary.environment = .known(request.environment.word)
    summary.appAppleId = request.environment == .production ? app.appAppleId : nil
    summary.bundleId = request.bundleId
    summary.productId = request.product.text
    summary.requestIdentifier = request.requestIdentifier
    summary.storefrontCountryCodes = request.storefronts
    summary.succeededCount = Int64(request.succeeded)
    summary.failedCount = Int64(request.failed)
    var facts = decision.notification(
      .other(.renewalExtension, .summary), bundleId: request.bundleId, environment: request.environment,
      transaction: nil)
    facts.content = .summary(summary)
    return facts
  }
}
