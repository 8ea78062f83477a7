package import PaymentPrimitives

/// A simulator whose whole state is in a log: what all simulators do alike with their clock and their settings.
package protocol LoggedSimulator: NotificationSource {
  associatedtype State: RecordedState
  associatedtype Code: ControlErrorCode

  var commands: CommandLog<State> { get }
}

extension LoggedSimulator {
  /// The current state.
  package var state: State { commands.state }

  // MARK: time

  /// The simulated time.
  package func now() -> Timestamp { commands.state.clock.simulated(at: dependencies.now()) }

  package func clock() -> SimulatorClock { commands.state.clock }

  /// Moves the clock; what becomes due takes place at once (rule AS-TIME-1).
  ///
  /// - Parameter span: at most ten years at a time; a negative one sets it back.
  /// - Returns: the simulated time now.
  package func advanceClock(by span: TimeSpan) async throws(CodedError<Code>) -> Timestamp {
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
  package func setClockRate(_ rate: Int64) async throws(CodedError<Code>) -> Timestamp {
    guard (1...SimulatorClock.rateMax).contains(rate) else {
      throw CodedError(.fieldInvalid, "rate must be a whole number from 1 to \(SimulatorClock.rateMax).")
    }
    return try await changeClock { $0.running(at: rate, from: $1) }
  }

  /// Resets the clock to the real time and rate.
  ///
  /// - Returns: the time now.
  package func resetClock() async throws(CodedError<Code>) -> Timestamp {
    try await changeClock { _, _ in .real }
  }

  private func changeClock(
    _ change: (SimulatorClock, Timestamp) -> SimulatorClock
  ) async throws(CodedError<Code>) -> Timestamp {
    let real = dependencies.now()
    return try await commands.commit { state throws(CodedError<Code>) in
      let clock = change(state.clock, real)
      let record = clock == state.clock ? nil : State.Record(number: state.recordCount + 1, .clockSet(clock))
      return (clock.simulated(at: real), record)
    }
  }

  // MARK: behaviour settings

  package func behaviours() -> BehaviourValues<State.Behaviour> { commands.state.behaviours }

  /// Changes a behaviour setting.
  ///
  /// - Throws: `fieldInvalid` for a value out of its range.
  package func setBehaviour(_ behaviour: State.Behaviour, to value: Int64) async throws(CodedError<Code>) {
    let range = behaviour.range
    guard range.contains(value) else {
      throw CodedError(.fieldInvalid, "\(behaviour.rawValue) goes from \(range.lowerBound) to \(range.upperBound).")
    }
    try await commands.commit { state throws(CodedError<Code>) in
      let isNew = state.behaviours[behaviour] != value
      return ((), isNew ? State.Record(number: state.recordCount + 1, .behaviourSet(behaviour, value)) : nil)
    }
  }

  // MARK: who waits for a command

  package func listen() -> (number: Int, changes: AsyncStream<Void>) { commands.listen() }

  package func stopListening(_ number: Int) { commands.stopListening(number) }
}
