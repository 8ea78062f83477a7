package import HTTPMessages
import Synchronization

/// One of a device's ways out: to Apple, to our server. Each breaks on its own (rule LINK-1).
package final class NetworkLink: Sendable {
  package enum Fault: Hashable, Sendable {
    /// The question never arrives.
    case questionLost
    /// It arrives and takes effect; the answer is lost (rule LINK-2).
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

  /// Lets the next exchanges go wrong, one fault each.
  package func fail(_ faults: Fault...) { state.withLock { $0.faults += faults } }

  /// Brings something over and its answer back.
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

  /// An exchange as it is from behind this link.
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
  /// Whether the question took effect; the one who asked cannot see it.
  package let hasArrived: Bool
}
