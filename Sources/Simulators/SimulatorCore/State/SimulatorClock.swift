package import PaymentPrimitives
package import StrictJSON

/// The simulator's time: the real time, moved and at another rate (rules AS-TIME-1 to AS-TIME-3).
package struct SimulatorClock: Hashable, Sendable {
  let anchor: Timestamp
  let simulatedAnchor: Timestamp
  /// Simulated seconds per real second.
  package let rate: Int64

  /// Maximum rate: a day in a second.
  package static let rateMax: Int64 = 86_400
  /// How far one command may move a clock: ten years.
  package static let stepMax = TimeSpan.days(3653)

  package static let real = SimulatorClock(
    anchor: Timestamp(milliseconds: 0), simulatedAnchor: Timestamp(milliseconds: 0), rate: 1)

  private init(anchor: Timestamp, simulatedAnchor: Timestamp, rate: Int64) {
    self.anchor = anchor
    self.simulatedAnchor = simulatedAnchor
    self.rate = rate
  }

  /// The simulated time at a real moment.
  package func simulated(at real: Timestamp) -> Timestamp {
    let passed = (real - anchor).milliseconds
    let (span, overflow) = passed.multipliedReportingOverflow(by: rate)
    return simulatedAnchor + TimeSpan(milliseconds: overflow ? (passed < 0 ? .min : .max) : span)
  }

  /// The real time span for a simulated span; rounded up, so that the simulated span has passed by then.
  package func realSpan(of span: TimeSpan) -> TimeSpan {
    let (quotient, rest) = span.milliseconds.quotientAndRemainder(dividingBy: rate)
    return TimeSpan(milliseconds: quotient + (rest > 0 ? 1 : 0))
  }

  /// The clock moved by `span` at a real moment.
  package func advanced(by span: TimeSpan, at real: Timestamp) -> SimulatorClock {
    SimulatorClock(anchor: real, simulatedAnchor: simulated(at: real) + span, rate: rate)
  }

  /// The clock with another rate from a real moment on; it continues from the same simulated moment.
  package func running(at rate: Int64, from real: Timestamp) -> SimulatorClock {
    SimulatorClock(anchor: real, simulatedAnchor: simulated(at: real), rate: rate)
  }

  // MARK: in the log

  package init(_ fields: JSONFields) throws(JSONFieldError) {
    self.init(
      anchor: try fields.timestamp("anchor"), simulatedAnchor: try fields.timestamp("simulatedAnchor"),
      rate: try fields.integer("rate", in: 1...Self.rateMax))
  }

  package var members: [(String, JSONValue?)] {
    [
      ("anchor", .integer(anchor.milliseconds)), ("simulatedAnchor", .integer(simulatedAnchor.milliseconds)),
      ("rate", .integer(rate)),
    ]
  }
}
