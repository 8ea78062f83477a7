package import PaymentPrimitives
import StrictJSON

/// The simulated time for order expiry, refunds and bills: the real time, moved and at another rate.
///
/// Signatures use the real time (only `WeChatPayKnob.clockSkewSeconds` changes that). So a client with a correct clock
/// still accepts the simulator's signatures after the clock is moved by a day.
package struct WeChatPayClock: Hashable, Sendable {
  let anchor: Timestamp
  let simulatedAnchor: Timestamp
  /// Simulated seconds per real second.
  package let rate: Int64

  static let real = WeChatPayClock(
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
  func realSpan(of span: TimeSpan) -> TimeSpan {
    let (quotient, rest) = span.milliseconds.quotientAndRemainder(dividingBy: rate)
    return TimeSpan(milliseconds: quotient + (rest > 0 ? 1 : 0))
  }

  /// The clock moved by `span` at a real moment.
  func advanced(by span: TimeSpan, at real: Timestamp) -> WeChatPayClock {
    WeChatPayClock(anchor: real, simulatedAnchor: simulated(at: real) + span, rate: rate)
  }

  /// The clock with another rate from a real moment on; it continues from the same simulated moment.
  func running(at rate: Int64, from real: Timestamp) -> WeChatPayClock {
    WeChatPayClock(anchor: real, simulatedAnchor: simulated(at: real), rate: rate)
  }

  init(_ fields: JSONFields) throws(JSONFieldError) {
    anchor = try fields.timestamp("anchor")
    simulatedAnchor = try fields.timestamp("simulatedAnchor")
    rate = try fields.integer("rate", in: 1...WeChatPaySimulatorLimits.clockRateMax)
  }

  var json: JSONValue {
    .members([
      ("anchor", .integer(anchor.milliseconds)), ("simulatedAnchor", .integer(simulatedAnchor.milliseconds)),
      ("rate", .integer(rate)),
    ])
  }
}
