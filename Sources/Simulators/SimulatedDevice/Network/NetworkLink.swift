package import HTTPMessages
import Synchronization

/// One of a device's network connections: to Apple, or to our server. Each fails independently (rule LINK-1).
package final class NetworkLink: Sendable {
  package enum Fault: Hashable, Sendable {
    /// The request never arrives.
    case questionLost
    /// The request arrives and takes effect; the answer is lost (rule LINK-2).
    case answerLost
  }

  private struct State {
    var isUp = true
    var faults: [Fault] = []
    var crossings = 0
  }

  private let state = Mutex(State())

  package init() {}

  package var isUp: Bool {
    get { state.withLock { $0.isUp } }
    set { state.withLock { $0.isUp = newValue } }
  }

  package var crossings: Int { state.withLock { $0.crossings } }

  /// Makes the next exchanges fail, one fault each.
  package func fail(_ faults: Fault...) { state.withLock { $0.faults += faults } }

  /// Carries a request across and its answer back.
  ///
  /// - Throws: `LinkBroken`, or what `body` throws.
  package func cross<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
    let (isUp, fault) = state.withLock { state -> (Bool, Fault?) in
      state.crossings += 1
      return (state.isUp, state.isUp && !state.faults.isEmpty ? state.faults.removeFirst() : nil)
    }
    guard isUp, fault != .questionLost else { throw LinkBroken(hasArrived: false) }
    let answer = try await body()
    if fault == .answerLost { throw LinkBroken(hasArrived: true) }
    return answer
  }

  /// The exchange as seen through this link.
  package func carrying(_ exchange: HTTPExchange) -> HTTPExchange {
    HTTPExchange { request, limit throws(HTTPExchangeError) in
      do {
        return try await self.cross { try await exchange.send(request, limit) }
      } catch let broken as LinkBroken {
        throw broken.hasArrived
          ? .outcomeUnknown("the answer was lost") : .unreachable("the link is down")
      } catch let error as HTTPExchangeError {
        throw error
      } catch {
        throw .outcomeUnknown("the exchange ended without a word")
      }
    }
  }
}

package struct LinkBroken: Error, Hashable, Sendable {
  /// Whether the request took effect; the caller cannot see it.
  package let hasArrived: Bool
}
