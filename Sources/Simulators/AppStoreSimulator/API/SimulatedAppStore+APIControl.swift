import AppStoreProtocol
package import PaymentPrimitives

/// Control of the API: its keys and its planned faults.
extension SimulatedAppStore {
  /// All keys: the ready-made one first, then by id.
  package func apiKeys() -> [SimulatedAPIKey] {
    [testAPIKey.key] + state.apiKeys.values.sorted { $0.keyId < $1.keyId }
  }

  /// Registers a key, or replaces the one with the same id.
  ///
  /// - Throws: `neverChanges` for the ready-made key, `full`.
  package func setAPIKey(_ key: SimulatedAPIKey) async throws(CodedError<SimulatorErrorCode>) {
    guard key.keyId != testAPIKey.key.keyId else { throw CodedError(.neverChanges, "\(key.keyId) is ready-made.") }
    try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      let known = decision.state.apiKeys
      guard known[key.keyId] != key else { return }
      guard known[key.keyId] != nil || known.count < SimulatorLimits.apiKeysMax else {
        throw CodedError(.full, "It has \(SimulatorLimits.apiKeysMax) keys.")
      }
      decision.event = .apiKeySet(key)
    }
  }

  /// The planned faults of the API.
  package func apiFaults() -> [PlannedAPIFault] { state.apiFaults }

  /// Adds a fault after the planned ones.
  ///
  /// - Throws: `full`.
  package func plan(_ fault: PlannedAPIFault) async throws(CodedError<SimulatorErrorCode>) {
    try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      guard decision.state.apiFaults.count < SimulatorLimits.apiFaultsMax else {
        throw CodedError(.full, "It has \(SimulatorLimits.apiFaultsMax) planned faults.")
      }
      decision.event = .apiFaultsSet(decision.state.apiFaults + [fault])
    }
  }

  /// Removes all planned faults.
  package func forgetAPIFaults() async throws(CodedError<SimulatorErrorCode>) {
    try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      if !decision.state.apiFaults.isEmpty { decision.event = .apiFaultsSet([]) }
    }
  }
}
