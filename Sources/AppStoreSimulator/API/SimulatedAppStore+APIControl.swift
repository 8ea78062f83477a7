import AppStoreProtocol
public import PaymentVocabulary

/// What stands behind the API: its keys, and what is planned to go wrong.
extension SimulatedAppStore {
  /// All keys, the ready-made one first, then by their ids.
  public func apiKeys() -> [SimulatedAPIKey] {
    [testAPIKey.key] + state.apiKeys.values.sorted { $0.keyId < $1.keyId }
  }

  /// Registers a key, or replaces the one of that id.
  ///
  /// - Throws: `neverChanges` for the ready-made key, `full`.
  public func setAPIKey(_ key: SimulatedAPIKey) async throws(Refusal<SimulatorErrorCode>) {
    guard key.keyId != testAPIKey.key.keyId else { throw Refusal(.neverChanges, "\(key.keyId) is ready-made.") }
    try await commit { decision throws(Refusal<SimulatorErrorCode>) in
      let known = decision.state.apiKeys
      guard known[key.keyId] != key else { return }
      guard known[key.keyId] != nil || known.count < SimulatorLimits.apiKeysMax else {
        throw Refusal(.full, "It has \(SimulatorLimits.apiKeysMax) keys.")
      }
      decision.event = .apiKeySet(key)
    }
  }

  /// The faults of the API that are planned.
  public func apiFaults() -> [PlannedAPIFault] { state.apiFaults }

  /// Plans a fault behind those that are planned already.
  ///
  /// - Throws: `full`.
  public func plan(_ fault: PlannedAPIFault) async throws(Refusal<SimulatorErrorCode>) {
    try await commit { decision throws(Refusal<SimulatorErrorCode>) in
      guard decision.state.apiFaults.count < SimulatorLimits.apiFaultsMax else {
        throw Refusal(.full, "It has \(SimulatorLimits.apiFaultsMax) planned faults.")
      }
      decision.event = .apiFaultsSet(decision.state.apiFaults + [fault])
    }
  }

  /// Takes back all faults that are planned.
  public func forgetAPIFaults() async throws(Refusal<SimulatorErrorCode>) {
    try await commit { decision throws(Refusal<SimulatorErrorCode>) in
      if !decision.state.apiFaults.isEmpty { decision.event = .apiFaultsSet([]) }
    }
  }
}
