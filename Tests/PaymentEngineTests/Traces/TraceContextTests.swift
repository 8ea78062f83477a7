import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import Testing

@Suite struct `A caller's traceparent` {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let span = "00f067aa0ba902b7"
  private static let sound = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  /// A text with the usual trace in place of T, and the usual span in place of S.
  private static func whole(_ text: String) -> String {
    text.replacing("T", with: trace).replacing("S", with: span)
  }

  // Flags that version 0 does not know are no error, and later versions are read as far as version 0 goes.
  private static let readable: [String: Bool] = [
    "00-T-S-01": true, "00-T-S-00": false, "00-T-S-ff": true, "00-T-S-02": false, "01-T-S-01": true,
    "cc-T-S-01-what-comes-later": true, "fe-T-S-01-": true,
  ]

  @Test(arguments: readable.keys.sorted())
  func `is read with its flag, also in versions that are not known yet`(text: String) throws {
    let context = try #require(TraceContext(traceparent: Self.whole(text)))
    let isSampled = Self.readable[text] == true
    #expect(context.trace.description == Self.trace && context.span.description == Self.span)
    #expect(context.isSampled == isSampled)
    #expect(context.traceparent == Self.whole(isSampled ? "00-T-S-01" : "00-T-S-00"))
  }

  private static let malformed: [String] = [
    "", "-", "00", "00-T-S-0", "0-T-S-01", "00-T-S-01-", "00-T-S-01-01", "00-T-S-01 ", " 00-T-S-01", "ff-T-S-01",
    "FE-T-S-01", "00-4BF92F3577B34DA6A3CE929D0E0E4736-S-01", "00-T-00F067AA0BA902B7-01", "00-T-S-0A",
    "00-00000000000000000000000000000000-S-01", "00-T-0000000000000000-01", "00-4bf92f3577b34da6a3ce929d0e0e473g-S-01",
    "00-4bf92f3577b34da6a3ce929d0e0e473é-S-01", "00-T-00f067aa0ba902b\u{0}-01", "00_T_S_01", "00-TS-01-01",
    "01-T-S-01x", "01-T-S-011", "+0-T-S-01", "00-+bf92f3577b34da6a3ce929d0e0e4736-S-01", "00-T-S-01,00-T-S-01",
  ]

  @Test(arguments: malformed) func `counts as absent if it is malformed`(text: String) {
    #expect(TraceContext(traceparent: Self.whole(text)) == nil)
  }

  @Test(arguments: [600, 1 << 20]) func `counts as absent if it is endless`(count: Int) {
    #expect(TraceContext(traceparent: Self.whole("01-T-S-01-") + String(repeating: "x", count: count)) == nil)
    #expect(TraceContext(traceparent: String(repeating: "0", count: count)) == nil)
  }

  @Test func `counts as absent if it stands there twice`() {
    var fields: HTTPFields = ["Traceparent": Self.sound]
    #expect(TraceContext(fields) != nil)
    fields.add("traceparent", Self.sound)
    #expect(TraceContext(fields) == nil)
    #expect(TraceContext([:]) == nil)
  }

  private static func context(_ states: [String]) -> TraceContext? {
    var fields: HTTPFields = ["traceparent": sound]
    for text in states { fields.add("tracestate", text) }
    return TraceContext(fields)
  }

  private static let states: [(fields: [String], read: String)] = [
    (["a=1"], "a=1"), (["a=1,b=2"], "a=1,b=2"), (["a=1", "b=2"], "a=1,b=2"), ([" a=1 ,\t, b=2 "], "a=1,b=2"),
    (["1t@v=x:y;z"], "1t@v=x:y;z"), (["a_-*/9=~ x"], "a_-*/9=~ x"),
  ]

  @Test(arguments: states.indices) func `brings its tracestate in order`(index: Int) {
    #expect(Self.context(Self.states[index].fields)?.state == Self.states[index].read)
  }

  private static func members(_ count: Int) -> String { (0..<count).map { "k\($0)=1" }.joined(separator: ",") }

  private static func member(_ key: Int, _ value: Int) -> String {
    String(repeating: "k", count: key) + "=" + String(repeating: "v", count: value)
  }

  @Test func `brings up to 32 members of up to 512 bytes in all`() {
    #expect(Self.context([Self.members(32)])?.state == Self.members(32))
    #expect(Self.context([Self.members(33)])?.state == nil)
    #expect(Self.context([Self.member(255, 256)])?.state == Self.member(255, 256))
    #expect(Self.context([Self.member(256, 256)])?.state == nil)
    #expect(Self.context([String(repeating: "k=1,", count: 1 << 18)])?.state == nil)
  }

  private static let malformedStates: [[String]] = [
    [""], [","], ["a"], ["a="], ["=1"], ["A=1"], ["1=1"], ["a=1,a=2"], ["a=1", "a=1"], ["a=b=c"], ["a=\u{7F}"],
    ["a=é"], ["a=\u{0}"], ["a b=1"], ["a@=1"], ["@a=1"], ["a@b@c=1"], ["t@1v=1"], ["t@vvvvvvvvvvvvvvv=1"],
  ]

  @Test(arguments: malformedStates)
  func `loses its tracestate, and nothing else, if that is malformed`(texts: [String]) {
    #expect(Self.context(texts)?.state == nil)
    #expect(Self.context(texts)?.span.description == Self.span)
  }

  @Test func `has keys and values of limited length`() {
    #expect(Self.context([Self.member(257, 1)])?.state == nil && Self.context([Self.member(1, 257)])?.state == nil)
    let tenant = String(repeating: "t", count: 242) + "@v=1"
    #expect(Self.context([tenant])?.state == nil && Self.context([String(tenant.dropFirst())])?.state != nil)
  }
}

@Suite struct `A share of the traces` {
  private static func orders(_ count: Int) -> [OrderIdentifier] {
    (0..<count).map { number in
      let digest = SHA256.hash("order \(number)")
      let chance = Array(digest.prefix(10))
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

  private static let thresholds: [(ratio: Double, low: UInt64, isKept: Bool)] = [
    (0.5, 0xFF7F_FFFF_FFFF_FFFF, false), (0.5, 0x0080_0000_0000_0000, true), (0.25, 0x00BF_FFFF_FFFF_FFFF, false),
    (0.25, 0x00C0_0000_0000_0000, true), (1, 0, true), (0, 0x00FF_FFFF_FFFF_FFFF, false),
  ]

  /// The threshold of the OpenTelemetry specification: a trace is kept if its last 56 bits are not below it.
  @Test(arguments: thresholds.indices) func `begins at the threshold of OpenTelemetry`(index: Int) throws {
    let (ratio, low, isKept) = Self.thresholds[index]
    let trace = try #require(TraceIdentifier(high: 1, low: low))
    #expect(TraceSampling(ratio: ratio).keeps(trace) == isKept)
  }
}
