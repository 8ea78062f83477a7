import AppStoreProtocol
package import PaymentEngine
import PaymentPrimitives

extension AppStoreGateway {
  /// Apple's rates are per app: with several nodes each keeps to its part.
  package func keep(to share: StoreShare) {
    self.share = share
    for key in throttles.keys { throttles[key]?.change(to: part(of: key.rate)) }
  }

  /// Fewer calls, or one call in a longer time.
  func part(of rate: CallRate) -> CallRate {
    guard case .part(of: let count, until: _) = share, count > 1 else { return rate }
    guard rate.calls < count else { return CallRate(calls: rate.calls / count, span: rate.span) }
    let spans = Int64((count + rate.calls - 1) / rate.calls)
    return CallRate(calls: 1, span: TimeSpan(milliseconds: rate.span.milliseconds * spans))
  }

  /// No call may go before this node has a part, nor after it has ended; nil while it has one.
  func withoutPart(at now: Timestamp, _ deadline: Timestamp) -> EndpointThrottle.Permission? {
    let mayCall =
      switch share {
      case nil: true
      case .some(.none): false
      case .part(of: _, until: let end): now < end
      }
    guard !mayCall else { return nil }
    let next = now + limits.sharePause
    return next <= deadline ? .wait(until: next) : .busy(until: next)
  }
}
