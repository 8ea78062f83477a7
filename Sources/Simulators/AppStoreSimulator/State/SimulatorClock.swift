package import PaymentPrimitives

/// The simulator's time: the real time, moved and at another rate (rules AS-TIME-1 to AS-TIME-3).
package struct SimulatorClock: Hashable, Sendable {
  let anchor: Timestamp
  let simulatedAnchor: Timestamp
  /// Simulated seconds per real second.
  package let rate: Int64

  static let real = SimulatorClock(
    anchor: Timestamp(milliseconds: 0), simulatedAnchor: Timestamp(milliseconds: 0), rate: 1)

  /// The simulated time at a real moment.
  package func simulated(at real: Timestamp) -> Timestamp {
    let passed = (real - anchor).milliseconds
    let (span, overflow) = passed.multipliedReportingOverflow(by: rate)
    return simulatedAnchor + TimeSpan(milliseconds: overflow ? (passed < 0 ? .min : .max) : span)
  }

  /// The real time span for a simulated span; rounded up, so that the simulated span has passed by then.
  func realSpan(of span: TimeSpan) -> TimeSpan {
    let (quotient, rest) = span.milliseconds.quotientAndRemainder(dividingBy: rate)
    return TimeSpan(milliseconds: quotient + (rest > 0 ? 1 : 0))
  }

  /// The clock moved by `span` at a real moment.
  func advanced(by span: TimeSpan, at real: Timestamp) -> SimulatorClock {
    SimulatorClock(anchor: real, simulatedAnchor: simulated(at: real) + span, rate: rate)
  }

  /// The clock with another rate from a real moment on; it continues from the same simulated moment.
  func running(at rate: Int64, from real: Timestamp) -> SimulatorClock {
    SimulatorClock(anchor: real, simulatedAnchor: simulated(at: real), rate: rate)
  }
}
