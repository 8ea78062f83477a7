/// How a device reaches the simulated App Store: straight within one program, or over a simulated network.
package protocol AppStoreLink: Sendable {
  /// Has something done at the store and brings back its answer.
  ///
  /// - Throws: what `body` throws; `LinkDown` when the answer, or already the question, was lost.
  func reach<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedAppStore) async throws -> Answer
  ) async throws -> Answer
}

/// The store did not answer; whether it did what it was asked, nobody knows.
package struct LinkDown: Error, Hashable, Sendable {
  package init() {}
}

/// A device in the same process as the store: it is always reached.
package struct DirectAppStoreLink: AppStoreLink {
  private let store: SimulatedAppStore

  package init(_ store: SimulatedAppStore) { self.store = store }

  package func reach<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedAppStore) async throws -> Answer
  ) async throws -> Answer {
    try await body(store)
  }
}
