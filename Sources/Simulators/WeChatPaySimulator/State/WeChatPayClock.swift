package import PaymentPrimitives
import StrictJSON

/// The time by which orders expire, refunds end and bills are made: the world's time, moved and at another rate.
///
/// Signatures go by the world's own time (`WeChatPayKnob.clockSkewSeconds` alone moves that), so that a client whose
/// clock nobody moved still understands the simulator a day later.
package struct WeChatPayClock: Hashable, Sendable {
  let anchor: Timestamp
  let simulatedAnchor: Timestamp
  /// How many seconds pass here in one of the world.
  package let rate: Int64

  static let real = WeChatPayClock(
    anchor: Timestamp(milliseconds: 0), simulatedAnchor: Timestamp(milliseconds: 0), rate: 1)

  private init(anchor: Timestamp, simulatedAnchor: Timestamp, rate: Int64) {
    self.anchor = anchor
    self.simulatedAnchor = simulatedAnchor
    self.rate = rate
  }

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
  func advanced(by span: TimeSpan, at real: Timestamp) -> WeChatPayClock {
    WeChatPayClock(anchor: real, simulatedAnchor: simulated(at: real) + span, rate: rate)
  }

  /// Goes on from the same moment at another rate.
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
