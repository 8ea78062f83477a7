package import PaymentPrimitives
import Synchronization

/// A piece of work with its spans, such as the answer to a request. All its tasks see it as `current`.
///
/// A request may tell only in its middle which order it is about. So its spans are kept until it ends, and are then
/// passed on together, in the trace of that order.
package final class TracedWork: Sendable {
  @TaskLocal package static var current: TracedWork?

  /// The most spans that one piece of work keeps. A receipt with many purchases has one for each.
  static let spansMax = 256

  private struct State {
    var root: Span
    /// The order that the work is about: the first that became known.
    var order: OrderIdentifier?
    var trace: TraceIdentifier?
    var spans: [Span] = []
    var droppedCount = 0
    var hasEnded = false
  }

  /// The span of the work as a whole.
  let root: SpanIdentifier
  private let incoming: TraceContext?
  private let recorder: TraceRecorder
  private let state: Mutex<State>

  init(_ root: Span, following incoming: TraceContext?, _ recorder: TraceRecorder) {
    self.root = root.id
    self.incoming = incoming
    self.recorder = recorder
    state = Mutex(State(root: root))
  }

  /// Runs a part of the work.
  package func within<Result: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await Self.$current.withValue(self, operation: body, isolation: isolation)
  }

  /// Notes which order the work is about. The first one stays.
  package func learn(_ order: OrderIdentifier) {
    state.withLock { state in
      guard state.order == nil, state.trace == nil else { return }
      state.order = order
    }
  }

  /// The trace, once it is decided or an order is known.
  package var trace: TraceIdentifier? {
    state.withLock { state in state.trace ?? state.order.map { TraceIdentifier(of: $0) } }
  }

  /// Decides the trace: that of the order; else the caller's, if the caller may choose it; else a new one.
  ///
  /// - Parameter mayJoin: whether the caller is known and trusted. Anybody else could write into the traces of others.
  @discardableResult
  package func settle(mayJoin: Bool = false) -> TraceIdentifier {
    let other = incoming.flatMap { mayJoin ? $0 : nil }
    // Drawn before the lock, which is held for moments only.
    let fresh = trace == nil && other == nil ? recorder.newTrace() : nil
    return state.withLock { state in
      if let trace = state.trace { return trace }
      let order = state.order.map { TraceIdentifier(of: $0) }
      let trace = order ?? other?.trace ?? fresh ?? TraceIdentifier(random: [])
      state.trace = trace
      if order == nil, let other { state.root.parent = other.span }
      return trace
    }
  }

  /// What a request that this work sends carries.
  package var traceparent: String {
    let trace = settle()
    return TraceContext(trace: trace, span: root, isSampled: recorder.sampling.keeps(trace)).traceparent
  }

  func add(_ span: Span) {
    let late = state.withLock { state -> TraceIdentifier? in
      guard state.hasEnded else {
        if state.spans.count < Self.spansMax { state.spans.append(span) } else { state.droppedCount += 1 }
        return nil
      }
      return state.trace
    }
    // A task of the work that outlived it.
    if let late { recorder.pass([TracedSpan(span, in: late)]) }
  }

  /// Ends the work and passes its spans on.
  ///
  /// - Parameter note: adds to the span of the work as a whole.
  package func end(_ note: (inout Span) -> Void = { _ in }) {
    let trace = settle()
    let ended = recorder.dependencies.now()
    let (root, spans, order, droppedCount) = state.withLock { state in
      defer { state.spans = [] }
      state.hasEnded = true
      return (state.root, state.spans, state.order, state.droppedCount)
    }
    var whole = root
    note(&whole)
    whole.ended = max(ended, whole.started)
    if let incoming { whole.links.append(incoming) }
    let creates = order.map { SpanIdentifier(creating: $0) }
    if let order, order.madeAt != nil, whole.parent == nil, !spans.contains(where: { $0.id == creates }) {
      whole.parent = creates
    }
    let context = TraceContext(trace: trace, span: whole.id, isSampled: recorder.sampling.keeps(trace))
    let parts = spans.map { span in
      guard let other = span.order, TraceIdentifier(of: other) != trace else { return TracedSpan(span, in: trace) }
      return recorder.placed(span, about: other, linkedTo: context)
    }
    recorder.pass(parts + [TracedSpan(whole, in: trace)], dropped: droppedCount)
  }

  /// Ends the work without a trace of it: it was nothing.
  package func discard() {
    state.withLock { state in
      state.spans = []
      state.hasEnded = true
    }
  }
}
