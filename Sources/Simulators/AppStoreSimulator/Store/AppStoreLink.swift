/// How a device reaches the simulated App Store: directly in one process, or over a simulated network.
package protocol AppStoreLink: Sendable {
  /// Runs a call at the App Store and returns its answer.
  ///
  /// - Throws: what `body` throws; `LinkDown` when the request or the answer was lost.
  func reach<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedAppStore) async throws -> Answer
  ) async throws -> Answer
}

/// The App Store did not answer; it is unknown whether the call took effect.
package struct LinkDown: Error, Hashable, Sendable {
  package init() {}
}

/// A link in the same process as the App Store: always up.
package struct DirectAppStoreLink: AppStoreLink {
  private let store: SimulatedAppStore

  package init(_ store: SimulatedAppStore) { self.store = store }

  package func reach<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedAppStore) async throws -> Answer
  ) async throws -> Answer {
    try await body(store)
  }
}
