import HTTPMessages
import PaymentEngine
import PaymentPrimitives

// The span of a request: its route and its end, never its path, its query or its caller's name.
extension TracedWork {
  /// Decides the trace, once the caller is known.
  func settle(for call: Call) {
    let isTrusted = if case .backend = call.caller { true } else { call.operatorName != nil }
    settle(mayJoin: isTrusted)
  }

  /// Ends the request. Probes, scrapes, unknown paths and calls over a rate leave no trace: a flood must not push the
  /// purchases out.
  func end(_ response: HTTPResponse, _ call: Call) {
    guard let route = call.route, !route.isProbe, !route.access.contains(.local), response.status != 429 else {
      return discard()
    }
    end { span in
      span.name = route.method + " " + route.path
      span.note("http.request.method", route.method)
      span.note("http.route", route.path)
      span.note("http.response.status_code", response.status)
      span.note("counterfoil.use_case", route.name)
      span.note("counterfoil.request_id", call.requestId)
      span.note("counterfoil.caller", call.callerKind)
      if let app = call.app { span.note("counterfoil.app", app.id.text) }
      // 503 is asked again later, like any other answer of a server that failed.
      span.isFailed = response.status >= 500
    }
  }
}
