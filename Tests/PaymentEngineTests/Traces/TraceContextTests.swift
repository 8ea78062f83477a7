import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import Testing

@Suite struct `A caller's traceparent` {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let span = "00f067aa0ba902b7"
  private static let sound = "00-\(trace)-\(span)-01"

  @Test(arguments: [
    (sound, true), ("00-\(trace)-\(span)-00", false), ("00-\(trace)-\(span)-ff", true),
    // Flags that version 0 does not know are no error.
    ("00-\(trace)-\(span)-02", false),
    // Later versions are read as far as version 0 goes.
    ("01-\(trace)-\(span)-01", true), ("cc-\(trace)-\(span)-01-what-comes-later", true),
    ("fe-\(trace)-\(span)-01-", true),
  ])
  func `is read with its flag, also in versions that are not known yet`(text: String, isSampled: Bool) throws {
    let context = try #require(TraceContext(traceparent: text))
    #expect(context.trace.description == Self.trace && context.span.description == Self.span)
    #expect(context.isSampled == isSampled)
    #expect(context.traceparent == "00-\(Self.trace)-\(Self.span)-0\(isSampled ? 1 : 0)")
  }

  @Test(arguments: [
    "", "-", "00", String(sound.dropLast()), String(sound.dropFirst()), sound + "-", sound + "-01", sound + " ",
    " " + sound, "ff" + sound.dropFirst(2), "FE" + sound.dropFirst(2), "0-\(trace)-\(span)-01",
    "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span.uppercased())-01", "00-\(trace)-\(span)-0A",
    "00-\(String(repeating: "0", count: 32))-\(span)-01", "00-\(trace)-\(String(repeating: "0", count: 16))-01",
    "00-\(trace.dropLast())g-\(span)-01", "00-\(trace.dropLast())é-\(span)-01",
    "00-\(trace)-\(span.dropLast())\u{0}-01",
    "00_\(trace)_\(span)_01", "00-\(trace)\(span)-01-01", "01-\(trace)-\(span)-01x", "01-\(trace)-\(span)-011",
    "+0-\(trace)-\(span)-01", "00-+bf92f3577b34da6a3ce929d0e0e4736-\(span)-01", sound + "," + sound,
    "01-\(trace)-\(span)-01-" + String(repeating: "x", count: 600), String(repeating: "0", count: 1 << 20),
  ])
  func `counts as absent if it is malformed`(text: String) {
    #expect(TraceContext(traceparent: text) == nil)
  }

  @Test func `counts as absent if it stands there twice`() {
    var fields: HTTPFields = ["Traceparent": Self.sound]
    #expect(TraceContext(fields) != nil)
    fields.add("traceparent", Self.sound)
    #expect(TraceContext(fields) == nil)
    #expect(TraceContext([:]) == nil)
  }

  private static func state(_ texts: [String]) -> String? {
    var fields: HTTPFields = ["traceparent": sound]
    for text in texts { fields.add("tracestate", text) }
    return TraceContext(fields)?.state
  }

  @Test(arguments: [
    (["a=1"], "a=1"), (["a=1,b=2"], "a=1,b=2"), (["a=1", "b=2"], "a=1,b=2"), ([" a=1 ,\t, b=2 "], "a=1,b=2"),
    (["1t@v=x:y;z"], "1t@v=x:y;z"), (["a_-*/9=~ x"], "a_-*/9=~ x"),
    (
      [String(repeating: "k", count: 255) + "=" + String(repeating: "v", count: 256)],
      String(repeating: "k", count: 255) + "=" + String(repeating: "v", count: 256)
    ),
    ([(0..<32).map { "k\($0)=1" }.joined(separator: ",")], (0..<32).map { "k\($0)=1" }.joined(separator: ",")),
  ])
  func `brings its tracestate in order`(texts: [String], state: String) {
    #expect(Self.state(texts) == state)
  }

  @Test(arguments: [
    [""], [","], ["a"], ["a="], ["=1"], ["A=1"], ["1=1"], ["a=1,a=2"], ["a=1", "a=1"], ["a=b=c"], ["a=\u{7F}"],
    ["a=é"], ["a=\u{0}"], ["a b=1"], ["a@=1"], ["@a=1"], ["a@b@c=1"], ["t@1v=1"],
    ["t@" + String(repeating: "v", count: 15) + "=1"], [String(repeating: "t", count: 242) + "@v=1"],
    [String(repeating: "k", count: 257) + "=1"], ["k=" + String(repeating: "v", count: 257)],
    [(0..<33).map { "k\($0)=1" }.joined(separator: ",")], [String(repeating: "k=1,", count: 1 << 18)],
  ])
  func `loses its tracestate, and nothing else, if that is malformed`(texts: [String]) {
    #expect(Self.state(texts) == nil)
    var fields: HTTPFields = ["traceparent": Self.sound]
    for text in texts { fields.add("tracestate", text) }
    #expect(TraceContext(fields)?.span.description == Self.span)
  }
}

@Suite struct `A share of the traces` {
  private static func orders(_ count: Int) -> [OrderIdentifier] {
    (0..<count).map { number in
      let chance = (0..<10).map { UInt8(truncatingIfNeeded: (number &* 2_654_435_761) >> ($0 % 4 * 8) ^ $0 &* 37) }
      return OrderIdentifier(version7At: Timestamp(milliseconds: 1_772_366_400_000 + Int64(number)), random: chance)
    }
  }

  @Test(arguments: [0, 0.1, 0.5, 0.9, 1.0]) func `is about as large as said`(ratio: Double) {
    let sampling = TraceSampling(ratio: ratio)
    let orders = Self.orders(10_000)
    let kept = orders.count { sampling.keeps(TraceIdentifier(of: $0)) }
    #expect(abs(Double(kept) / Double(orders.count) - ratio) < 0.03, "\(kept)")
    if ratio == 0 { #expect(kept == 0) }
    if ratio == 1 { #expect(kept == orders.count) }
  }

  @Test func `is decided by the id alone, and a larger share has the smaller one in it`() {
    let orders = Self.orders(2_000)
    func kept(_ ratio: Double) -> Set<OrderIdentifier> {
      let sampling = TraceSampling(ratio: ratio)
      return Set(orders.filter { sampling.keeps(TraceIdentifier(of: $0)) })
    }
    #expect(kept(0.3) == kept(0.3))
    #expect(kept(0.3).isStrictSubset(of: kept(0.6)))
  }

  /// The threshold of the OpenTelemetry specification: a trace is kept if its last 56 bits are not below it.
  @Test(arguments: [
    (0.5, 0xFF7F_FFFF_FFFF_FFFF as UInt64, false), (0.5, 0x0080_0000_0000_0000, true),
    (0.25, 0x00BF_FFFF_FFFF_FFFF, false), (0.25, 0x00C0_0000_0000_0000, true), (1, 0, true),
    (0, 0x00FF_FFFF_FFFF_FFFF, false),
  ])
  func `begins at the threshold of OpenTelemetry`(ratio: Double, low: UInt64, isKept: Bool) throws {
    let trace = try #require(TraceIdentifier(high: 1, low: low))
    #expect(TraceSampling(ratio: ratio).keeps(trace) == isKept)
  }
}
