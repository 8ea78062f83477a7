package import PaymentPrimitives
package import SimulatorCore

extension SimulatedAppStore {
  package func clock() -> SimulatorClock { state.clock }

  /// Moves the clock; notifications that become due are sent at once (rule AS-TIME-1).
  ///
  /// - Parameter span: at most ten years at a time; a negative one sets it back.
  /// - Returns: the simulated time now.
  package func advanceClock(by span: TimeSpan) async throws(CodedError<SimulatorErrorCode>) -> Timestamp {
    let most = SimulatorClock.stepMax
    guard -most <= span, span <= most else {
      throw CodedError(.fieldInvalid, "The clock is moved by at most \(most.milliseconds / 1000) seconds at a time.")
    }
    return try await changeClock { $0.advanced(by: span, at: $1) }
  }

  /// Sets the rate of the clock (rule AS-TIME-2).
  ///
  /// - Parameter rate: simulated seconds per real second, 1 to 86 400.
  /// - Returns: the simulated time now.
  package func setClockRate(_ rate: Int64) async throws(CodedError<SimulatorErrorCode>) -> Timestamp {
    guard (1...SimulatorClock.rateMax).contains(rate) else {
      throw CodedError(.fieldInvalid, "rate must be a whole number from 1 to \(SimulatorClock.rateMax).")
    }
    return try await changeClock { $0.running(at: rate, from: $1) }
  }

  /// Resets the clock to the real time and rate.
  ///
  /// - Returns: the time now.
  package func resetClock() async throws(CodedError<SimulatorErrorCode>) -> Timestamp {
    try await changeClock { _, _ in .real }
  }

  private func changeClock(
    _ change: (SimulatorClock, Timestamp) -> SimulatorClock
  ) async throws(CodedError<SimulatorErrorCode>) -> Timestamp {
    let real = dependencies.now()
    return try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      let clock = change(decision.state.clock, real)
      if clock != decision.state.clock { decision.event = .clockSet(clock) }
      return clock.simulated(at: real)
    }
  }

  package func behaviours() -> SimulatorBehaviours { state.behaviours }

  /// Changes a behaviour setting.
  ///
  /// - Throws: `fieldInvalid` for a value out of its range.
  package func setBehaviour(_ behaviour: SimulatorBehaviour, to value: Int64) async throws(CodedError<
    SimulatorErrorCode
  >) {
    guard behaviour.range.contains(value) else {
      throw CodedError(
        .fieldInvalid, "\(behaviour.rawValue) goes from \(behaviour.range.lowerBound) to \(behaviour.range.upperBound)."
      )
    }
    try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      if decision.state.behaviours[behaviour] != value { decision.event = .behaviourSet(behaviour, value) }
    }
  }
}
