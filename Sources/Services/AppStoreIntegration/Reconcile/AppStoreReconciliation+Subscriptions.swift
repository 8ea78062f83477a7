import AppStoreProtocol
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

extension AppStoreReconciliation {
  /// Subscriptions that one run asks about.
  private static let subscriptionsPerRun = 2_000

  /// Asks for the status of subscriptions with an unknown next period. It asks an hour after the end of a period, and
  /// daily while the store may still be charging.
  mutating func askQuietSubscriptions(of environment: StoreEnvironment) async throws {
    let appEnvironment = AppEnvironment(app: app.id, environment: environment)
    while report.stoppedBy == nil, report.subscriptions < Self.subscriptionsPerRun {
      let now = engine.now
      let due = try await engine.read { try $0.subscriptionsToAsk(at: now, in: appEnvironment, limit: 50) }
      guard !due.isEmpty else { return }
      for subscription in due where report.stoppedBy == nil {
        try Task.checkCancellation()
        try await ask(subscription)
      }
    }
  }

  private mutating func ask(_ subscription: Subscription) async throws {
    let call: AppStoreServerCall<StatusResponse> = try .subscriptionStatuses(
      ofCustomerWith: subscription.key.transaction.text)
    switch await gateway.send(call, environment: subscription.key.environment, priority: .reconciliation).outcome {
    case .answered(let answer):
      for item in answer.data.flatMap(\.lastTransactions) { try await take(item) }
    case .refused(let error) where isAboutOurAccess(error, in: subscription.key.environment): return stop("\(error)")
    case .refused(let error):
      if !error.meansUnknownHere {
        report.add(.unreadable, subscription.key.transaction.text, state: "\(error)", isHealed: false)
      }
    case .unknown(.undecided(let error)) where concernsThisCallOnly(error): break
    case .unknown(let why): return stop(why.summary)
    }
    report.subscriptions += 1
    try await engine.transact { transaction in
      guard var asked = try transaction.subscription(subscription.key) else { return }
      _ = asked.receive(.asked, at: transaction.now)
      try transaction.put(asked)
    }
  }

  /// Takes in the latest transaction of a subscription and its renewal info; Apple signs each separately.
  private mutating func take(_ item: LastTransactionsItem) async throws {
    guard let signed = item.signedTransactionInfo else { return }
    let renewal = item.signedRenewalInfo.flatMap { engine.verifiedRenewal($0, for: app) }
    try await take(signed, renewal)
  }
}
