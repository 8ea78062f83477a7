import AppStoreSimulator
import PaymentPrimitives

/// The sandbox data of the App Store, and the backend's sandbox deliveries.
struct SandboxFacts: Sendable {
  var charges: [SimulatedCharge] = []
  /// All transactions that were signed for the sandbox.
  var transactions: [SimulatedTransaction] = []
  var truths: [TransactionIdentifier: AppleTruth] = [:]
  var entries: [WorldBookEntry] = []

  /// The transaction ids of one charge: its own, and the further ones.
  func ids(of charge: SimulatedCharge) -> Set<TransactionIdentifier> {
    let id = charge.transaction.id
    return Set(transactions.filter { $0.repeats == id }.map(\.id)).union([id])
  }
}

extension SimulatedTransaction {
  /// Whether it was made in the sandbox.
  var isOfSandbox: Bool { environment == .sandbox }
}
