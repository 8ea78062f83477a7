import PaymentEngine
import PaymentPrimitives

extension Traces {
  /// Ends the span of a call. WeChat Pay is never told of it: the request carries nothing of a trace.
  func end(
    _ step: Span?, of app: AppIdentifier, api: String, method: String, _ outcome: String, hostsAsked: Int
  ) {
    guard var step else { return }
    step.note("counterfoil.app", app.text)
    step.note("counterfoil.store", Store.weChatPay.rawValue)
    step.note("counterfoil.api", api)
    step.note("http.request.method", method)
    step.note("counterfoil.outcome", outcome)
    step.note("counterfoil.hosts_asked", hostsAsked)
    step.isFailed = outcome == "unknown"
    end(step)
  }
}
