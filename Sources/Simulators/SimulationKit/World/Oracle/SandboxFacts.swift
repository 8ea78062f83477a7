import AppStoreSimulator
import PaymentPrimitives

/// The sandbox data of the App Store, and the backend's sandbox deliveries.
struct SandboxFacts: Sendable {
  var charges: [SimulatedCharge] = []
  /// All transactions that were signed for the sandbox.
  var transactions: [SimulatedTransaction] = []
  var truths: [TransactionIdentifier: AppleTruth] = [:]
  var entries: [WorldBookEntry] = []
}

extension SimulatedTransaction {
  /// Whether it was made in the sandbox.
  var isOfSandbox: Bool { environment == .sandbox }
}
