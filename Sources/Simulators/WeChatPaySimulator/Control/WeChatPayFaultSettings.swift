package import PaymentPrimitives

/// The planned faults.
package struct WeChatPayFaultSettings: Sendable {
  let service: SimulatedWeChatPay

  nonisolated(nonsending) package func planned() async -> [PlannedFault] {
    await service.read { $0.state.faults }
  }

  /// Adds a fault after the planned ones.
  ///
  /// - Throws: `full`.
  nonisolated(nonsending) package func plan(_ fault: PlannedFault) async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      guard decision.state.faults.count < WeChatPaySimulatorLimits.plannedFaultsMax else { throw CodedError(.full) }
      decision.put(.faults(decision.state.faults + [fault]))
    }
  }

  /// Removes all planned faults.
  nonisolated(nonsending) package func forget() async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      if !decision.state.faults.isEmpty { decision.put(.faults([])) }
    }
  }
}
