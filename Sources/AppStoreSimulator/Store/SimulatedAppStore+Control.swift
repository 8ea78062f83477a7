public import PaymentVocabulary

/// The clock and the knobs.
extension SimulatedAppStore {
  /// How the clock runs.
  public func clock() -> SimulatorClock { state.clock }

  /// Moves the clock; what became due on the way is sent at once (rule AS-TIME-1).
  ///
  /// - Parameter span: at most ten years at a time; a negative one sets it back.
  /// - Returns: what time it is now.
  public func advanceClock(by span: TimeSpan) async throws(Refusal<SimulatorErrorCode>) -> Timestamp {
    let most = SimulatorLimits.clockStepMax
    guard -most <= span, span <= most else {
      throw Refusal(.fieldInvalid, "The clock is moved by at most \(most.milliseconds / 1000) seconds at a time.")
    }
    return try await changeClock { $0.advanced(by: span, at: $1) }
  }

  /// Lets the clock run faster than the world (rule AS-TIME-2).
  ///
  /// - Parameter rate: seconds here in one of the world, 1 to 86 400.
  /// - Returns: what time it is now.
  public func setClockRate(_ rate: Int64) async throws(Refusal<SimulatorErrorCode>) -> Timestamp {
    guard (1...SimulatorLimits.clockRateMax).contains(rate) else {
      throw Refusal(.fieldInvalid, "rate must be a whole number from 1 to \(SimulatorLimits.clockRateMax).")
    }
    return try await changeClock { $0.running(at: rate, from: $1) }
  }

  /// Gives the clock the world's time and rate again.
  ///
  /// - Returns: what time it is now.
  public func resetClock() async throws(Refusal<SimulatorErrorCode>) -> Timestamp {
    try await changeClock { _, _ in .real }
  }

  private func changeClock(
    _ change: (SimulatorClock, Timestamp) -> SimulatorClock
  ) async throws(Refusal<SimulatorErrorCode>) -> Timestamp {
    let real = surroundings.now()
    return try await commit { decision throws(Refusal<SimulatorErrorCode>) in
      let clock = change(decision.state.clock, real)
      if clock != decision.state.clock { decision.event = .clockSet(clock) }
      return clock.simulated(at: real)
    }
  }

  /// How all knobs stand.
  public func knobs() -> SimulatorKnobs { state.knobs }

  /// Turns a knob.
  ///
  /// - Throws: `fieldInvalid` for a value out of its range.
  public func setKnob(_ knob: SimulatorKnob, to value: Int64) async throws(Refusal<SimulatorErrorCode>) {
    guard knob.range.contains(value) else {
      throw Refusal(
        .fieldInvalid, "\(knob.rawValue) goes from \(knob.range.lowerBound) to \(knob.range.upperBound).")
    }
    try await commit { decision throws(Refusal<SimulatorErrorCode>) in
      if decision.state.knobs[knob] != value { decision.event = .knobSet(knob, value) }
    }
  }
}
