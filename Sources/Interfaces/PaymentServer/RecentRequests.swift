import PaymentEngine
package import PaymentPrimitives
import Synchronization

/// Which orders and payments the newest requests concerned, by the request's id, for a search by support.
///
/// Only in memory: an id that only the database could find again would need a random index (record 205).
package final class RecentRequests: Sendable {
  /// Requests that are remembered: an hour of a busy shop, in some megabytes.
  static let most = 65_536
  /// What one request may concern, such as the payments of one receipt.
  static let subjectsMost = 20

  private struct Entry: Sendable {
    let request: String
    let app: AppIdentifier
    var subjects: [String]
  }

  private struct State {
    var ring: [Entry] = []
    var next = 0
    var places: [String: Int] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// Notes what a request concerns: ids of orders and transaction ids.
  package func note(_ request: String, in app: AppIdentifier, _ subjects: [String]) {
    guard !subjects.isEmpty else { return }
    state.withLock { state in
      if let place = state.places[request] {
        let known = state.ring[place].subjects
        let new = subjects.filter { !known.contains($0) }
        state.ring[place].subjects += new.prefix(max(0, Self.subjectsMost - known.count))
        return
      }
      let entry = Entry(request: request, app: app, subjects: Array(subjects.prefix(Self.subjectsMost)))
      if state.ring.count < Self.most {
        state.ring.append(entry)
      } else {
        state.places[state.ring[state.next].request] = nil
        state.ring[state.next] = entry
      }
      state.places[request] = state.next
      state.next = (state.next + 1) % Self.most
    }
  }

  /// What a request concerned; nothing if it was another app's, or is forgotten.
  package func subjects(of request: String, in app: AppIdentifier) -> [String] {
    state.withLock { state in
      guard let place = state.places[request], state.ring[place].app == app else { return [] }
      return state.ring[place].subjects
    }
  }
}

extension Call {
  /// Notes the order that this call concerns.
  func concerns(_ order: OrderIdentifier) { concerns([order.description]) }

  func concerns(_ subjects: [String]) {
    guard let app else { return }
    server.requests.note(requestId, in: app.id, subjects)
  }

  /// Notes the order that the path of a refused call names by its id.
  func concernsOrderOfPath() {
    guard let order = parameters["orderId"].flatMap({ OrderIdentifier($0) }) else { return }
    concerns(order)
  }
}
