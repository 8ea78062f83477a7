import AppStoreProtocol
package import PaymentPrimitives

/// Control of the API: its keys and its planned faults.
package struct ServerAPISettings: Sendable {
  let store: SimulatedAppStore

  /// Registers a key, or replaces the one with the same id.
  ///
  /// - Throws: `neverChanges` for the ready-made key, `full`.
  nonisolated(nonsending) package func setKey(_ key: SimulatedAPIKey) async throws(CodedError<SimulatorErrorCode>) {
    guard key.keyId != store.testAPIKey.key.keyId else {
      throw CodedError(.neverChanges, "\(key.keyId) is ready-made.")
    }
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      let known = decision.state.apiKeys
      guard known[key.keyId] != key else { return }
      guard known[key.keyId] != nil || known.count < SimulatorLimits.apiKeysMax else {
        throw CodedError(.full, "It has \(SimulatorLimits.apiKeysMax) keys.")
      }
      decision.event = .apiKeySet(key)
    }
  }

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
}
