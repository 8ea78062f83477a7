import AppStoreProtocol

extension AppStoreGateway {
  /// Apple's rates are per app: with several nodes each keeps to its part.
  func share(amongNodes count: Int) {
    nodes = max(1, count)
    for key in throttles.keys { throttles[key]?.change(to: share(of: key.rate)) }
  }

  func share(of rate: CallRate) -> CallRate {
    CallRate(calls: max(1, rate.calls / nodes), span: rate.span)
  }
}
