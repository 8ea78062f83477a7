import PaymentPrimitives

/// The last assigned number of each kind. Apple's numbers grow, with gaps, and have a fixed number of digits (rule
/// AS-ID-1).
struct LastNumbers: Hashable, Sendable {
  private var transactions: [SimulatedEnvironment: Int64] = [:]
  private var lineItems: [SimulatedEnvironment: Int64] = [:]
  private var appTransactions: Int64 = 0

  init() {}

  /// The first numbers of a new simulator. They grow with its creation time, so a server that used an earlier simulator
  /// never sees a number again.
  init(createdAt: Timestamp) {
    let age = min(max(0, createdAt.seconds - 1_600_000_000), 4_000_000_000)
    transactions = [
      .sandbox: 2_000_000_000_000_000 + age * 10_000, .production: 400_000_000_000_000 + age * 10_000,
    ]
    lineItems = [
      .sandbox: 2_000_000_000_000_000 + age * 1000, .production: 400_000_000_000_000 + age * 1000,
    ]
    appTransactions = 704_000_000_000_000_000 + age * 10_000
  }

  /// The next transaction id, some steps after the last.
  func transactionId(_ environment: SimulatedEnvironment, step: Int64) -> TransactionIdentifier {
    TransactionIdentifier(String((transactions[environment] ?? 0) + step))
  }

  /// The next number of a subscription period.
  func webOrderLineItemId(_ environment: SimulatedEnvironment, step: Int64) -> String {
    String((lineItems[environment] ?? 0) + step)
  }

  /// The next app transaction id.
  func appTransactionId(step: Int64) -> String { String(appTransactions + step) }

  mutating func note(_ transaction: SimulatedTransaction) {
    let environment = transaction.environment
    if let number = Int64(transaction.id.text) {
      transactions[environment] = max(transactions[environment] ?? 0, number)
    }
    if let number = transaction.period.flatMap({ Int64($0.webOrderLineItemId) }) {
      lineItems[environment] = max(lineItems[environment] ?? 0, number)
    }
  }

  mutating func note(appTransactionId: String) {
    appTransactions = max(appTransactions, Int64(appTransactionId) ?? 0)
  }
}
