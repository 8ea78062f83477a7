import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import Synchronization

/// Counts the calls to Apple's API, by endpoint: in total and within any second.
package final class AppleCallMeter: Sendable {
  package struct Count: Hashable, Sendable {
    /// The endpoint's name in logs and metrics.
    package let endpoint: String
    package var calls = 0
    /// The highest number of calls within one second.
    package var highest = 0
    package let allowed: Int
  }

  private struct Lane {
    var count: Count
    var recent: [Timestamp] = []
  }

  private struct State {
    var lanes: [AppStoreServerEndpoint: Lane] = [:]
    var last = Timestamp(milliseconds: 0)
    var tooOften = 0
  }

  private let state = Mutex(State())

  init() {}

  /// Counts a call.
  ///
  /// - Parameter target: the path.
  func note(_ method: String, _ target: String, at now: Timestamp) {
    guard let endpoint = Self.endpoint(method, target) else { return }
    state.withLock { state in
      let rate = endpoint.rate(in: .production)
      var lane = state.lanes[endpoint] ?? Lane(count: Count(endpoint: endpoint.rawValue, allowed: rate.calls))
      lane.recent.removeAll { $0 <= now - rate.span }
      lane.recent.append(now)
      lane.count.calls += 1
      lane.count.highest = max(lane.count.highest, lane.recent.count)
      state.lanes[endpoint] = lane
      state.last = now
    }
  }

  /// Counts an answer in which Apple reports too many calls.
  func noteTooOften() { state.withLock { $0.tooOften += 1 } }

  private static func endpoint(_ method: String, _ target: String) -> AppStoreServerEndpoint? {
    if target.contains("/v2/history/") { return .transactionHistory }
    if target.contains("/notifications/history") { return .notificationHistory }
    if target.hasSuffix("/finish") { return .finishTransaction }
    if target.hasSuffix("/appAccountToken") { return .appAccountToken }
    return target.contains("/v1/transactions/") && method == "GET" ? .transactionInfo : nil
  }

  /// The counts of each endpoint, by name.
  var counts: [Count] { state.withLock { $0.lanes.values.map(\.count).sorted { $0.endpoint < $1.endpoint } } }
  /// How often Apple reported too many calls.
  var tooOften: Int { state.withLock { $0.tooOften } }

  /// Whether a call came within the last two seconds.
  func isBusy(at now: Timestamp) -> Bool { state.withLock { $0.last >= now - .seconds(2) } }
}
