/// Which traces are kept. The trace's id decides: so the spans of an order are kept all or not at all, on every node
/// and after every restart.
package struct TraceSampling: Hashable, Sendable {
  /// A trace is kept if its last 56 bits are at least this number.
  private let threshold: UInt64

  /// Keeps this share of all traces, from 0 to 1.
  ///
  /// W3C Trace Context level 2 expects chance in the last 56 bits of an id. Those of an order's id are random, or of a
  /// hash.
  package init(ratio: Double) {
    let all = Double(1 << 56 as UInt64)
    threshold = UInt64((1 - min(1, max(0, ratio))) * all)
  }

  package func keeps(_ trace: TraceIdentifier) -> Bool { trace.low & ((1 << 56) - 1) >= threshold }
}
