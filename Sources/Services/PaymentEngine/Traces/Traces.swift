package import HTTPMessages
package import PaymentPrimitives

/// Where spans are made: beside the log and the metrics. Without a receiver it is off, and each call ends at its first
/// branch.
package struct Traces: Sendable {
  /// Nothing is traced.
  package static let off = Traces(recorder: nil)

  private let recorder: TraceRecorder?

  private init(recorder: TraceRecorder?) { self.recorder = recorder }

  /// - Parameters:
  ///   - receive: takes the spans that are kept.
  ///   - drop: counts spans that one piece of work had too many of.
  package init(
    _ sampling: TraceSampling, dependencies: Dependencies, drop: @escaping @Sendable (Int) -> Void,
    receive: @escaping SpanReceiver
  ) {
    recorder = TraceRecorder(sampling: sampling, dependencies: dependencies, drop: drop, receive: receive)
  }

  package var isOn: Bool { recorder != nil }

  // MARK: work

  /// Begins the answer to a request; nil if nothing is traced.
  package func beginRequest(_ fields: HTTPFields) -> TracedWork? {
    guard let recorder else { return nil }
    // Its route, which names it, is not known yet.
    return TracedWork(recorder.newSpan("HTTP", .server), following: TraceContext(fields), recorder)
  }

  /// Begins one attempt to send a message; nil if nothing is traced.
  ///
  /// - Parameters:
  ///   - order: the order that it is about; without one it has a trace of its own.
  ///   - message: the id of the message. With the number of the attempt it makes the id of the span.
  ///   - notes: what the span says of the message.
  func beginAttempt(
    _ name: String, about order: OrderIdentifier?, message: String, attempt: Int,
    noting notes: @autoclosure () -> [(name: String, text: String)]
  ) -> TracedWork? {
    guard let recorder else { return nil }
    let id = SpanIdentifier(sending: message, attempt: attempt)
    var span = Span(name, .client, id: id, at: recorder.dependencies.now())
    for note in notes() { span.note(note.name, note.text) }
    span.note("counterfoil.attempt", attempt)
    let work = TracedWork(span, following: nil, recorder)
    if let order { work.learn(order) }
    return work
  }

  /// Runs work about an order in its trace: as a part of the present work, or as one of its own.
  package func about<Result: Sendable>(
    _ order: OrderIdentifier, _ name: String, _ body: () async throws -> Result
  ) async rethrows -> Result {
    guard let recorder else { return try await body() }
    if let present = TracedWork.current {
      present.learn(order)
      return try await body()
    }
    let work = TracedWork(recorder.newSpan(name, .internal), following: nil, recorder)
    work.learn(order)
    defer { work.end() }
    return try await work.within { try await body() }
  }

  /// Notes that the present work is about an order.
  package func learn(_ order: OrderIdentifier?) {
    guard recorder != nil, let order else { return }
    TracedWork.current?.learn(order)
  }

  // MARK: steps

  /// Begins a step of the present work; nil if nothing is traced.
  package func begin(_ name: String, _ kind: Span.Kind = .internal) -> Span? {
    guard let recorder else { return nil }
    return recorder.newSpan(name, kind, parent: TracedWork.current?.root)
  }

  /// Ends a step. Without a present work it goes to its order's trace, or to one of its own.
  package func end(_ span: consuming Span) {
    guard let recorder else { return }
    span.ended = max(recorder.dependencies.now(), span.started)
    if let present = TracedWork.current { return present.add(span) }
    if let order = span.order { return recorder.pass([recorder.placed(span, about: order, linkedTo: nil)]) }
    recorder.pass([TracedSpan(span, in: recorder.newTrace())])
  }

  /// Ends the step that created an order: the parent of all later work about it.
  package func endCreation(_ span: consuming Span, of order: OrderIdentifier) {
    span.id = SpanIdentifier(creating: order)
    span.order = order
    learn(order)
    end(span)
  }

  // MARK: the log

  /// A log whose lines name the trace and the span of the present work, as far as they are known.
  package func adding(to log: @escaping Log) -> Log {
    guard recorder != nil else { return log }
    return { event in
      guard let present = TracedWork.current else { return log(event) }
      let trace = present.trace.map { [(name: "trace", value: $0.description)] } ?? []
      log(
        LogEvent(event.level, event.name, event.fields + trace + [(name: "span", value: present.root.description)]))
    }
  }
}

/// What all pieces of work share. It is a class, so that asking whether it is there reads one word.
final class TraceRecorder: Sendable {
  let sampling: TraceSampling
  let dependencies: Dependencies
  let drop: @Sendable (Int) -> Void
  let receive: SpanReceiver

  init(
    sampling: TraceSampling, dependencies: Dependencies, drop: @escaping @Sendable (Int) -> Void,
    receive: @escaping SpanReceiver
  ) {
    self.sampling = sampling
    self.dependencies = dependencies
    self.drop = drop
    self.receive = receive
  }

  func newTrace() -> TraceIdentifier { TraceIdentifier(random: dependencies.randomBytes(16)) }

  func newSpan(_ name: String, _ kind: Span.Kind, parent: SpanIdentifier? = nil) -> Span {
    Span(
      name, kind, id: SpanIdentifier(random: dependencies.randomBytes(8)), parent: parent, at: dependencies.now())
  }

  /// A span in the trace of an order that its own work is not about.
  func placed(_ span: Span, about order: OrderIdentifier, linkedTo context: TraceContext?) -> TracedSpan {
    var span = span
    let creation = SpanIdentifier(creating: order)
    span.parent = order.madeAt == nil || span.id == creation ? nil : creation
    if let context { span.links.append(context) }
    return TracedSpan(span, in: TraceIdentifier(of: order))
  }

  /// Passes on what is kept of the spans.
  func pass(_ spans: [TracedSpan], dropped: Int = 0) {
    if dropped > 0 { drop(dropped) }
    let kept = spans.filter { sampling.keeps($0.trace) }
    if !kept.isEmpty { receive(kept) }
  }
}
