import CounterfoilCLI
import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import SimulationKit
import StrictJSON
import Synchronization
import Testing

@Suite struct `A span in OTLP` {
  @Test func `has hexadecimal ids, numbers of 64 bits as texts, and no field that is empty`() async throws {
    let kept = Mutex<[TracedSpan]>([])
    let clock = StandingClock(EngineFixture.noon)
    let traces = Traces(
      TraceSampling(ratio: 1), dependencies: clock.dependencies, drop: { _ in },
      receive: { spans in kept.withLock { $0 += spans } })
    let order = try #require(OrderIdentifier("0195513a-9e40-7123-8456-00000000abcd"))
    let work = try #require(
      traces.beginRequest([
        "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "tracestate": "a=1",
      ]))
    await work.within {
      guard var step = traces.begin("AskStore", .client) else { return }
      step.note("text", "wéi信 \"\n")
      step.note("number", 7)
      step.note("truth", true)
      step.order = order
      step.isFailed = true
      traces.learn(order)
      clock.advance(by: .milliseconds(5))
      traces.end(step)
    }
    work.end()
    let spans = kept.withLock { $0 }
    let body = OTLPRequest.body(spans, service: "till")
    let resource = try #require(body["resourceSpans"]?.array?.first)
    #expect(resource["resource"]?["attributes"]?.array?.first?.text.contains("till") == true)
    let written = try #require(resource["scopeSpans"]?.array?.first?["spans"]?.array)
    let ids = spans.map(\.span.id.description)
    #expect(
      written.first?.text
        == #"{"traceId":"0195513a9e407123845600000000abcd","spanId":"\#(ids[0])","parentSpanId":"\#(ids[1])","#
        + #""name":"AskStore","kind":3,"startTimeUnixNano":"1772366400000000000","#
        + #""endTimeUnixNano":"1772366400005000000","attributes":[{"key":"text","value":{"stringValue":"wéi信 \"\n"}},"#
        + #"{"key":"number","value":{"intValue":"7"}},{"key":"truth","value":{"boolValue":true}}],"#
        + #""status":{"code":2}}"#)
    let creation = SpanIdentifier(creating: order)
    #expect(
      written.last?.text
        == #"{"traceId":"0195513a9e407123845600000000abcd","spanId":"\#(ids[1])","parentSpanId":"\#(creation)","#
        + #""name":"HTTP","kind":2,"startTimeUnixNano":"1772366400000000000","endTimeUnixNano":"1772366400005000000","#
        + #""links":[{"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7","traceState":"a=1"}]}"#)
  }
}
