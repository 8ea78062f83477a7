import AppStoreProtocol
package import PaymentPrimitives

/// What stands behind the API: its keys, and what is planned to go wrong.
extension SimulatedAppStore {
  /// All keys, the ready-made one first, then by their ids.
  package func apiKeys() -> [SimulatedAPIKey] {
    [testAPIKey.key] + state.apiKeys.values.sorted { $0.keyId < $1.keyId }
  }

  /// Registers a key, or replaces the one of that id.
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

  /// The faults of the API that are planned.
  package func apiFaults() -> [PlannedAPIFault] { state.apiFaults }

  /// Plans a fault behind those that are planned already.
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

  /// Takes back all faults that are planned.
  package func forgetAPIFaults() async throws(CodedError<SimulatorErrorCode>) {
    try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      if !decision.state.apiFaults.isEmpty { decision.event = .apiFaultsSet([]) }
    }
  }
}
