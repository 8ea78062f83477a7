import AppStoreProtocol
import PaymentEngine
import PaymentPrimitives

extension Traces {
  /// Ends the span of a call. Apple is never told of it: the request carries nothing of a trace.
  func end(
    _ step: Span?, at key: AppStoreGateway.EndpointKey, of app: AppIdentifier, outcome: String, isFailed: Bool
  ) {
    guard var step else { return }
    step.note("counterfoil.app", app.text)
    step.note("counterfoil.store", Store.appStore.rawValue)
    step.note("counterfoil.api", key.api)
    step.note("counterfoil.environment", key.environment.rawValue)
    step.note("counterfoil.outcome", outcome)
    step.isFailed = isFailed
    end(step)
  }
}
