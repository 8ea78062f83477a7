import Synchronization

/// Limits the open waiting reads (`?wait=`). A caller without a slot gets an answer at once, as if without a wait.
package final class WaitSlots: Sendable {
  /// Per user: a few screens that watch an order.
  static let perUser = 8
  /// Per secret key: a gateway that waits for its phones.
  static let perKey = 1024
  /// In total, unless a server sets another number: half of the connections that the HTTP server keeps open.
  package static let inAll = 2048

  private struct State {
    var bySubject: [RateLimits.Subject: Int] = [:]
    var inAll = 0
  }

  private let inAll: Int
  private let state = Mutex(State())

  /// - Parameter inAll: how many there are in total.
  init(inAll: Int) { self.inAll = inAll }

  /// Takes a slot; false when none is free.
  func take(_ subject: RateLimits.Subject) -> Bool {
    let most = if case .user = subject { Self.perUser } else { Self.perKey }
    return state.withLock { state in
      let mine = state.bySubject[subject] ?? 0
      guard mine < most, state.inAll < inAll else { return false }
      state.bySubject[subject] = mine + 1
      state.inAll += 1
      return true
    }
  }

  /// Gives a taken slot back.
  func give(_ subject: RateLimits.Subject) {
    state.withLock { state in
      let mine = state.bySubject[subject] ?? 1
      state.bySubject[subject] = mine > 1 ? mine - 1 : nil
      state.inAll -= 1
    }
  }
}
