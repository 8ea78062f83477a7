package import PaymentPrimitives

/// The simulator's time: the world's time, moved and at another rate (rules AS-TIME-1 to AS-TIME-3).
package struct SimulatorClock: Hashable, Sendable {
  let anchor: Timestamp
  let simulatedAnchor: Timestamp
  /// How many seconds pass here in one of the world.
  package let rate: Int64

  static let real = SimulatorClock(
    anchor: Timestamp(milliseconds: 0), simulatedAnchor: Timestamp(milliseconds: 0), rate: 1)

  /// What time it is here at a moment of the world.
  package func simulated(at real: Timestamp) -> Timestamp {
    let passed = (real - anchor).milliseconds
    let (span, overflow) = passed.multipliedReportingOverflow(by: rate)
    return simulatedAnchor + TimeSpan(milliseconds: overflow ? (passed < 0 ? .min : .max) : span)
  }

  /// How long the world takes until so much time has passed here; rounded up, so that it has passed then.
  func realSpan(of span: TimeSpan) -> TimeSpan {
    let (quotient, rest) = span.milliseconds.quotientAndRemainder(dividingBy: rate)
    return TimeSpan(milliseconds: quotient + (rest > 0 ? 1 : 0))
  }

  /// The same moment here, `span` later, from a moment of the world on.
  func advanced(by span: TimeSpan, at real: Timestamp) -> SimulatorClock {
    SimulatorClock(anchor: real, simulatedAnchor: simulated(at: real) + span, rate: rate)
  }

  /// Goes on from the same moment at another rate.
  func running(at rate: Int64, from real: Timestamp) -> SimulatorClock {
    SimulatorClock(anchor: real, simulatedAnchor: simulated(at: real), rate: rate)
  }
}
