package import PaymentEngine
import Synchronization

/// Spans that wait for the exporter. It has limits of number and memory: what does not fit is dropped, because nothing
/// waits for traces.
package final class TraceQueue: Sendable {
  private struct State {
    var spans: [TracedSpan] = []
    var bytes = 0
  }

  private let spansMax: Int
  private let bytesMax: Int
  private let state = Mutex(State())

  package init(spansMax: Int = 2048, bytesMax: Int = 4 << 20) {
    self.spansMax = spansMax
    self.bytesMax = bytesMax
  }

  /// Takes spans as far as they fit; returns how many were dropped.
  package func add(_ spans: [TracedSpan]) -> Int {
    state.withLock { state in
      for (position, span) in spans.enumerated() {
        let bytes = span.span.bytes
        guard state.spans.count < spansMax, state.bytes + bytes <= bytesMax else { return spans.count - position }
        state.spans.append(span)
        state.bytes += bytes
      }
      return 0
    }
  }

  /// Removes and returns the oldest spans, up to a number.
  package func take(_ count: Int) -> [TracedSpan] {
    state.withLock { state in
      let taken = Array(state.spans.prefix(count))
      state.spans.removeFirst(taken.count)
      state.bytes -= taken.reduce(0) { $0 + $1.span.bytes }
      return taken
    }
  }

  package var count: Int { state.withLock { $0.spans.count } }
}
