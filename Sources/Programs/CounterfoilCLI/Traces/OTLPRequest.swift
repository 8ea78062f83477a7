package import PaymentEngine
import PaymentPrimitives
package import StrictJSON

/// Spans as the body of an OTLP request: `ExportTraceServiceRequest` in JSON.
///
/// Source: the OpenTelemetry protocol specification 1.x, "JSON Protobuf encoding". Unlike in other JSON of Protocol
/// Buffers, ids are hexadecimal; numbers of 64 bits are texts.
package enum OTLPRequest {
  package static func body(_ spans: [TracedSpan], service: String) -> JSONValue {
    .members([
      (
        "resourceSpans",
        .array([
          .members([
            (
              "resource",
              .members([
                (
                  "attributes",
                  .array([text("service.name", service), text("service.version", Version.text)])
                )
              ])
            ),
            (
              "scopeSpans",
              .array([
                .members([
                  ("scope", .members([("name", "counterfoil"), ("version", .string(Version.text))])),
                  ("spans", .array(spans.map(span))),
                ])
              ])
            ),
          ])
        ])
      )
    ])
  }

  private static func span(_ traced: TracedSpan) -> JSONValue {
    let span = traced.span
    return .members([
      ("traceId", .string(traced.trace.description)), ("spanId", .string(span.id.description)),
      ("parentSpanId", span.parent.map { .string($0.description) }), ("name", .string(span.name)),
      ("kind", .integer(span.kind.rawValue)), ("startTimeUnixNano", nanoseconds(span.started)),
      ("endTimeUnixNano", nanoseconds(span.ended)),
      ("attributes", span.attributes.isEmpty ? nil : .array(span.attributes.map(attribute))),
      ("links", span.links.isEmpty ? nil : .array(span.links.map(link))),
      ("status", span.isFailed ? .members([("code", .integer(statusError))]) : nil),
    ])
  }

  /// `STATUS_CODE_ERROR`.
  private static let statusError = 2

  private static func nanoseconds(_ moment: Timestamp) -> JSONValue { .string("\(moment.milliseconds)000000") }

  private static func attribute(_ attribute: Span.Attribute) -> JSONValue {
    let value: JSONValue =
      switch attribute.value {
      case .text(let text): .members([("stringValue", .string(text))])
      case .number(let number): .members([("intValue", .string("\(number)"))])
      case .truth(let truth): .members([("boolValue", .bool(truth))])
      }
    return .members([("key", .string(attribute.name)), ("value", value)])
  }

  private static func text(_ name: String, _ text: String) -> JSONValue {
    .members([("key", .string(name)), ("value", .members([("stringValue", .string(text))]))])
  }

  private static func link(_ context: TraceContext) -> JSONValue {
    .members([
      ("traceId", .string(context.trace.description)), ("spanId", .string(context.span.description)),
      ("traceState", context.state.map(JSONValue.string)),
    ])
  }
}
