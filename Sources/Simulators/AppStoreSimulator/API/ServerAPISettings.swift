import AppStoreProtocol
package import PaymentPrimitives

/// Control of the API: its keys, its planned faults, and what servers told it.
package struct ServerAPISettings: Sendable {
  let store: SimulatedAppStore

  /// All keys: the ready-made one first, then by id.
  nonisolated(nonsending) package func keys() async -> [SimulatedAPIKey] {
    [store.testAPIKey.key]
      + (await store.read { snapshot in snapshot.state.apiKeys.values.sorted { $0.keyId < $1.keyId } })
  }

  /// Registers a key, or replaces the one with the same id.
  ///
  /// - Throws: `neverChanges` for the ready-made key, `full`.
  nonisolated(nonsending) package func setKey(_ key: SimulatedAPIKey) async throws(CodedError<SimulatorErrorCode>) {
    guard key.keyId != store.testAPIKey.key.keyId else { throw CodedError(.neverChanges, "\(key.keyId) is ready-made.") }
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      let known = decision.state.apiKeys
      guard known[key.keyId] != key else { return }
      guard known[key.keyId] != nil || known.count < SimulatorLimits.apiKeysMax else {
        throw CodedError(.full, "It has \(SimulatorLimits.apiKeysMax) keys.")
      }
      decision.event = .apiKeySet(key)
    }
  }

  /// The planned faults of the API.
  nonisolated(nonsending) package func faults() async -> [PlannedAPIFault] { await store.read { $0.state.apiFaults } }

  /// Adds a fault after the planned ones.
  ///
  /// - Throws: `full`.
  nonisolated(nonsending) package func plan(_ fault: PlannedAPIFault) async throws(CodedError<SimulatorErrorCode>) {
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      guard decision.state.apiFaults.count < SimulatorLimits.apiFaultsMax else {
        throw CodedError(.full, "It has \(SimulatorLimits.apiFaultsMax) planned faults.")
      }
      decision.event = .apiFaultsSet(decision.state.apiFaults + [fault])
    }
  }

  /// Removes all planned faults.
  nonisolated(nonsending) package func forgetFaults() async throws(CodedError<SimulatorErrorCode>) {
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      if !decision.state.apiFaults.isEmpty { decision.event = .apiFaultsSet([]) }
    }
  }

  /// The last consumption information of each transaction, as the server sent it.
  nonisolated(nonsending) package func consumption() async -> [TransactionIdentifier: String] {
    await store.read { $0.state.consumption }
  }
}
