import PaymentPrimitives

/// The last number of each kind that was given. Apple's numbers grow, with gaps, and have so many digits (rule
/// AS-ID-1).
struct LastNumbers: Hashable, Sendable {
  private var transactions: [SimulatedEnvironment: Int64] = [:]
  private var lineItems: [SimulatedEnvironment: Int64] = [:]
  private var appTransactions: Int64 = 0

  init() {}

  /// Where the numbers of a new simulator begin: the later it was made, the higher, so that a server that knew an
  /// earlier one takes none of them for its old acquaintance.
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

  /// The next number of a transaction, some steps after the last.
  func transactionId(_ environment: SimulatedEnvironment, step: Int64) -> TransactionIdentifier {
    TransactionIdentifier(String((transactions[environment] ?? 0) + step))
  }

  /// The next number of a subscription's period.
  func webOrderLineItemId(_ environment: SimulatedEnvironment, step: Int64) -> String {
    String((lineItems[environment] ?? 0) + step)
  }

  /// The next number of an account's app.
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
