import PaymentPrimitives

extension VaultRecords {
  /// The transactions that may be finished, newest last.
  var clearances: [ClearedTransactions.Entry] { cleared.entries }

  /// Records that the server allows a transaction to be finished, and which order it paid.
  func clear(_ key: TransactionKey, order: OrderIdentifier?) async throws(VaultFailure) {
    try await changeCleared { _ = $0.clear(key, order: order) }
  }

  /// Notes that the store has confirmed the finish of a transaction. Only for counting: nothing depends on it.
  func noteFinished(_ key: TransactionKey) async throws(VaultFailure) {
    try await changeCleared { $0.noteFinished(key) }
  }

  /// Counts that a finished transaction came back.
  ///
  /// - Returns: how often it has so far.
  func countReappearance(of key: TransactionKey) async -> Int {
    let before = cleared[key]?.reappearances ?? 0
    do throws(VaultFailure) {
      try await changeCleared { _ = $0.countReappearance(of: key) }
    } catch {
      // It came back all the same.
      return before + 1
    }
    return cleared[key]?.reappearances ?? before
  }
}
