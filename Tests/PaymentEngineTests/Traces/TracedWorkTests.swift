import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Synchronization
import TestDoubles
import Testing

/// Traces into memory.
private final class Kept: Sendable {
  let clock = StandingClock(EngineFixture.noon)
  private let spans = Mutex<[TracedSpan]>([])
  private let droppedSpans = Mutex(0)

  func traces(_ ratio: Double = 1) -> Traces {
    Traces(
      TraceSampling(ratio: ratio), dependencies: clock.dependencies,
      drop: { count in self.droppedSpans.withLock { $0 += count } },
      receive: { new in self.spans.withLock { $0 += new } })
  }

  var all: [TracedSpan] { spans.withLock { $0 } }
  var dropped: Int { droppedSpans.withLock { $0 } }
  func first(_ name: String) -> TracedSpan? { all.first { $0.span.name == name } }
}

@Suite struct `The spans of one piece of work` {
  private static let caller = TraceContext(
    traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
  private static let fields: HTTPFields = ["traceparent": caller?.traceparent ?? ""]

  private func order(_ number: UInt8) -> OrderIdentifier {
    OrderIdentifier(version7At: EngineFixture.noon, random: [UInt8](repeating: number, count: 10))
  }

  private func step(_ traces: Traces, _ name: String, about order: OrderIdentifier? = nil) {
    guard var step = traces.begin(name) else { return }
    step.order = order
    traces.end(step)
  }

  @Test func `are none, and no work is there, while nothing is traced`() async {
    #expect(Traces.off.beginRequest(Self.fields) == nil && Traces.off.begin("Fulfil") == nil && !Traces.off.isOn)
    await Traces.off.about(order(1), "AskScheduled") { #expect(TracedWork.current == nil) }
  }

  @Test func `go to the trace of the first order that becomes known, in its middle, below that order's creation`()
    async throws
  {
    let (kept, first) = (Kept(), order(1))
    let traces = kept.traces()
    let work = try #require(traces.beginRequest(Self.fields))
    await work.within {
      step(traces, "VerifyEvidence")
      traces.learn(first)
      traces.learn(order(2))
      step(traces, "Fulfil", about: first)
    }
    work.end()
    #expect(Set(kept.all.map(\.trace)) == [TraceIdentifier(of: first)])
    let root = try #require(kept.first("HTTP")?.span)
    #expect(root.parent == SpanIdentifier(creating: first))
    #expect(root.links == [try #require(Self.caller)])
    #expect(kept.first("VerifyEvidence")?.span.parent == root.id && kept.first("Fulfil")?.span.parent == root.id)
  }

  @Test func `begin the trace if they create the order`() async throws {
    let (kept, order) = (Kept(), order(1))
    let traces = kept.traces()
    let work = try #require(traces.beginRequest([:]))
    await work.within {
      if let step = traces.begin("CreateOrder") { traces.endCreation(step, of: order) }
    }
    work.end()
    let root = try #require(kept.first("HTTP")?.span)
    let creation = try #require(kept.first("CreateOrder")?.span)
    #expect(root.parent == nil && creation.parent == root.id && creation.id == SpanIdentifier(creating: order))
  }

  @Test func `about other orders go to those, with a link`() async throws {
    let (kept, first, second) = (Kept(), order(1), order(2))
    let derived = OrderIdentifier(version8From: [UInt8](repeating: 9, count: 32))
    let traces = kept.traces()
    let work = try #require(traces.beginRequest([:]))
    await work.within {
      traces.learn(first)
      step(traces, "second", about: second)
      step(traces, "derived", about: derived)
    }
    work.end()
    let root = try #require(kept.first("HTTP"))
    let other = try #require(kept.first("second"))
    #expect(other.trace == TraceIdentifier(of: second) && other.span.parent == SpanIdentifier(creating: second))
    #expect(other.span.links.map(\.trace) == [root.trace] && other.span.links.map(\.span) == [root.span.id])
    // Nobody created a derived order by a request.
    #expect(kept.first("derived")?.trace == TraceIdentifier(of: derived) && kept.first("derived")?.span.parent == nil)
  }

  @Test(arguments: [true, false])
  func `without an order join the caller's trace only if the caller is trusted`(isTrusted: Bool) throws {
    let kept = Kept()
    let work = try #require(kept.traces().beginRequest(Self.fields))
    work.settle(mayJoin: isTrusted)
    work.end()
    let caller = try #require(Self.caller)
    let root = try #require(kept.first("HTTP"))
    #expect((root.trace == caller.trace) == isTrusted && (root.span.parent == caller.span) == isTrusted)
    #expect(root.span.links == [caller])
  }

  @Test func `are limited in number, and the others are counted`() async throws {
    let kept = Kept()
    let traces = kept.traces()
    let work = try #require(traces.beginRequest([:]))
    await work.within { for _ in 0..<300 { step(traces, "Fulfil") } }
    work.end()
    #expect(kept.all.count == 257 && kept.dropped == 44)
  }

  @Test func `end at their own time, and never before they began, also if the clock is set back`() async throws {
    let kept = Kept()
    let traces = kept.traces()
    let step = try #require(traces.begin("AskStore", .client))
    kept.clock.advance(by: .milliseconds(120))
    traces.end(step)
    let later = try #require(traces.begin("Fulfil"))
    kept.clock.advance(by: .seconds(-60))
    traces.end(later)
    #expect(kept.first("AskStore").map { $0.span.ended - $0.span.started } == .milliseconds(120))
    #expect(kept.first("Fulfil").map { $0.span.ended - $0.span.started } == .zero)
  }

  @Test func `after the end of the work join its trace`() async throws {
    let (kept, order) = (Kept(), order(1))
    let traces = kept.traces()
    let work = try #require(traces.beginRequest([:]))
    work.learn(order)
    work.end()
    await work.within { step(traces, "late") }
    #expect(kept.first("late")?.trace == TraceIdentifier(of: order))
  }

  @Test func `are passed on for the traces that are kept alone`() async throws {
    let kept = Kept()
    let traces = kept.traces(0)
    let work = try #require(traces.beginRequest([:]))
    work.learn(order(1))
    await work.within { step(traces, "Fulfil") }
    #expect(work.traceparent.hasSuffix("-00"))
    work.end()
    #expect(kept.all.isEmpty)
  }

  @Test func `name themselves in the log as far as they are known`() async throws {
    let (kept, events, order) = (Kept(), EventLog(), order(1))
    let traces = kept.traces()
    let log = traces.adding(to: events.log)
    log(LogEvent(.info, "outside"))
    let work = try #require(traces.beginRequest([:]))
    await work.within {
      log(LogEvent(.info, "before"))
      traces.learn(order)
      log(LogEvent(.info, "after", [("order", "x")]))
    }
    work.end()
    let root = try #require(kept.first("HTTP")?.span.id.description)
    #expect(events.fields(of: "outside") == [[:]])
    #expect(events.fields(of: "before") == [["span": root]])
    let trace = TraceIdentifier(of: order).description
    #expect(events.fields(of: "after") == [["order": "x", "trace": trace, "span": root]])
    #expect(trace == order.outTradeNo.lowercased())
  }
}
