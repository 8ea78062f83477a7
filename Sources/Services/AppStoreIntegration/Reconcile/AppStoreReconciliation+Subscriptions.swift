import AppStoreProtocol
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

extension AppStoreReconciliation {
  /// Subscriptions that one run asks about.
  private static let linesPerRun = 2_000

  /// Asks for the status of subscriptions with an unknown next period. It asks an hour after the end of a period, and
  /// daily while the store may still be charging.
  mutating func askQuietLines(of environment: StoreEnvironment) async throws {
    let appEnvironment = AppEnvironment(app: app.id, environment: environment)
    while report.stoppedBy == nil, report.lines < Self.linesPerRun {
      let now = engine.dependencies.now()
      let due = try await engine.read { try $0.linesToAsk(at: now, in: appEnvironment, limit: 50) }
      guard !due.isEmpty else { return }
      for line in due where report.stoppedBy == nil {
        try Task.checkCancellation()
        try await ask(line)
      }
    }
  }

  private mutating func ask(_ line: Subscription) async throws {
    let call: AppStoreServerCall<StatusResponse> = try .subscriptionStatuses(
      ofCustomerWith: line.key.transaction.text)
    switch await gateway.send(call, environment: line.key.environment, priority: .reconciliation).outcome {
    case .answered(let answer):
      for item in answer.data.flatMap(\.lastTransactions) { try await take(item) }
    case .refused(let refusal) where isAboutOurAccess(refusal, in: line.key.environment): return stop("\(refusal)")
    case .refused(let refusal):
      if !refusal.meansUnknownHere {
        report.add(.unreadable, line.key.transaction.text, state: "\(refusal)", isHealed: false)
      }
    case .unknown(.undecided(let refusal)) where isAboutOneAlone(refusal): break
    case .unknown(let why): return stop(why.summary)
    }
    report.lines += 1
    try await engine.transact { transaction in
      guard var asked = try transaction.line(line.key) else { return }
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
