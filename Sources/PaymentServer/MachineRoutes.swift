import HTTPMessages
import PaymentEngine
import PaymentVocabulary
import StrictJSON

/// What machines ask: is it alive, is it ready, what has it counted, what does it offer. None of them asks a store.
enum MachineRoutes {
  static let all: [Route] = [alive, ready, metrics, openAPI]

  private static let alive = Route(
    "GET", "/livez", "Alive", [.open],
    RouteDocumentation(summary: "The process answers.", answer: "Health")
  ) { call in
    call.answer(
      .members([("status", "alive"), ("version", .string(call.server.settings.version))]))
  }

  private static let ready = Route(
    "GET", "/readyz", "Ready", [.open],
    RouteDocumentation(summary: "The database answers; 503 while it does not.", answer: "Health")
  ) { call in
    try await call.server.engine.checkReadiness()
    return call.answer(.members([("status", "ready")]))
  }

  private static let metrics = Route(
    "GET", "/metrics", "ReadMetrics", [.open],
    RouteDocumentation(
      summary: "Counters and timings as Prometheus text. Only from the same machine, or with an operator key.")
  ) { call in
    try await checkMayReadMetrics(call)
    await call.server.engine.measureBacklog()
    return HTTPResponse(
      status: 200, fields: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
      body: Array(call.server.engine.metrics.text().utf8))
  }

  private static func checkMayReadMetrics(_ call: Call) async throws {
    guard call.peer != "127.0.0.1", call.peer != "::1" else { return }
    var asked = call
    let route = Route("GET", "/metrics", "ReadMetrics", [.operator], metrics.documentation) { _ in
      HTTPResponse(status: 200)
    }
    try await Authentication(call.server).authenticate(&asked, for: route)
  }

  private static let openAPI = Route(
    "GET", "/openapi.json", "ReadOpenAPI", [.open],
    RouteDocumentation(summary: "This document.")
  ) { call in
    HTTPResponse(status: 200, json: OpenAPIDocument.json(of: Routes.all, call.server.settings))
  }
}
