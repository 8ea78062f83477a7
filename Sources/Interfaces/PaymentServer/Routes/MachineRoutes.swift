import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import StrictJSON

/// Routes for machines: liveness, readiness, counters, the OpenAPI document. None of them calls a store.
enum MachineRoutes {
  static let all: [Route] = [alive, ready, metrics, openAPI]

  private static let alive = Route(
    "GET", "/livez", name: "Alive", access: [.open], isProbe: true,
    documentation: RouteDocumentation(summary: "The process answers.", answer: "Health", usesStore: false)
  ) { call in
    call.answer(
      .members([("status", "alive"), ("version", .string(call.server.settings.version))]))
  }

  private static let ready = Route(
    "GET", "/readyz", name: "Ready", access: [.open], isProbe: true,
    documentation: RouteDocumentation(
      summary: "The database answers, and after a restored backup the stores have; 503 while they have not.",
      query: [.init(name: "verbose", meaning: "With any value: also what an operator should know of this server.")],
      answer: "Health", codes: [.backupGapOpen, .nodeDraining])
  ) { call in
    try await call.server.readiness.check(call.server.engine, at: call.server.now)
    guard try call.query("verbose") != nil else { return call.answer(.members([("status", "ready")])) }
    return call.answer(.members([("status", "ready")] + details(of: call.server)))
  }

  private static func details(of server: PaymentServer) -> [(String, JSONValue?)] {
    let durability = server.settings.durability
    let warnings = (durability == "local" ? ["durabilityLocal"] : []) + server.engine.nodeWarnings
    return [
      ("activeNodes", .integer(server.engine.activeNodes)),
      ("clockBehindMilliseconds", server.engine.clockBehind.map { .integer($0.milliseconds) }),
      ("durability", durability.map { .string($0) }), ("warnings", .array(warnings.map { .string($0) })),
    ]
  }

  private static let metrics = Route(
    "GET", "/metrics", name: "ReadMetrics", access: [.operator, .local],
    documentation: RouteDocumentation(
      summary: "Counters and timings of all apps as Prometheus text; without a credential from this machine alone.")
  ) { call in
    // What a query must measure is measured beside: a scrape waits for no database.
    HTTPResponse(
      status: 200, fields: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
      body: Array(call.server.engine.metrics.text().utf8))
  }

  private static let openAPI = Route(
    "GET", "/openapi.json", name: "ReadOpenAPI", access: [.open],
    documentation: RouteDocumentation(summary: "This document.", answer: "OpenAPI", usesStore: false)
  ) { call in
    HTTPResponse(
      status: 200, fields: ["Content-Type": "application/json"], body: call.server.openAPI.bytes)
  }
}
