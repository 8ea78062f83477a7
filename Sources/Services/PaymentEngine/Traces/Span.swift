package import PaymentPrimitives

/// One step of work in a trace, with its beginning and its end.
///
/// Spans leave this machine. An attribute holds no secret, nothing that is signed, no user, no address and no text of
/// another program: only words and numbers of ours.
package struct Span: Hashable, Sendable {
  package enum Kind: Int, Hashable, Sendable {
    case `internal` = 1
    /// A request that is answered here.
    case server = 2
    /// A request that is sent to another program.
    case client = 3
  }

  package enum Value: Hashable, Sendable {
    case text(String)
    case number(Int64)
    case truth(Bool)
  }

  package struct Attribute: Hashable, Sendable {
    package let name: String
    package let value: Value
  }

  package var name: String
  package let kind: Kind
  package internal(set) var id: SpanIdentifier
  /// The span that it is a part of; nil for the first of its trace.
  package internal(set) var parent: SpanIdentifier?
  /// The order that it is about, if that is known.
  package var order: OrderIdentifier?
  package internal(set) var started: Timestamp
  package internal(set) var ended: Timestamp
  package private(set) var attributes: [Attribute] = []
  /// Spans of other traces that belong to the same work.
  package internal(set) var links: [TraceContext] = []
  /// Whether the work failed here: a refusal that the caller caused is no failure.
  package var isFailed = false

  init(_ name: String, _ kind: Kind, id: SpanIdentifier, parent: SpanIdentifier? = nil, at started: Timestamp) {
    self.name = name
    self.kind = kind
    self.id = id
    self.parent = parent
    self.started = started
    ended = started
  }

  package mutating func note(_ name: String, _ text: String) { add(name, .text(String(text.prefix(Self.lettersMax)))) }

  package mutating func note(_ name: String, _ number: Int) { add(name, .number(Int64(number))) }

  package mutating func note(_ name: String, _ truth: Bool) { add(name, .truth(truth)) }

  private static let lettersMax = 128

  private mutating func add(_ name: String, _ value: Value) { attributes.append(Attribute(name: name, value: value)) }

  /// About the bytes that it takes in memory.
  package var bytes: Int {
    attributes.reduce(160 + name.utf8.count) { sum, attribute in
      guard case .text(let text) = attribute.value else { return sum + 48 + attribute.name.utf8.count }
      return sum + 48 + attribute.name.utf8.count + text.utf8.count
    } + links.reduce(0) { $0 + 64 + ($1.state?.utf8.count ?? 0) }
  }
}

/// A span whose trace is known: what an exporter gets.
package struct TracedSpan: Hashable, Sendable {
  package let trace: TraceIdentifier
  package let span: Span

  package init(_ span: Span, in trace: TraceIdentifier) {
    self.span = span
    self.trace = trace
  }
}

/// Takes spans that have ended. It never waits: what it cannot keep, it drops and counts.
package typealias SpanReceiver = @Sendable ([TracedSpan]) -> Void
