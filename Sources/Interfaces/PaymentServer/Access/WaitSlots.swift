import Synchronization

/// How many waiting reads (`?wait=`) may stand open. Whoever has no slot is answered at once, as if he had not asked to
/// wait.
final class WaitSlots: Sendable {
  /// Of one user: a few screens that watch an order.
  static let perUser = 8
  /// Of one secret key: a gateway that waits for its phones.
  static let perKey = 1024
  /// In all: half of the connections that the HTTP server keeps open.
  static let inAll = 2048

  private struct State {
    var bySubject: [RateLimits.Subject: Int] = [:]
    var inAll = 0
  }

  private let state = Mutex(State())

  /// Takes a slot; false when none is free.
  func take(_ subject: RateLimits.Subject) -> Bool {
    let most = if case .user = subject { Self.perUser } else { Self.perKey }
    return state.withLock { state in
      let mine = state.bySubject[subject] ?? 0
      guard mine < most, state.inAll < Self.inAll else { return false }
      state.bySubject[subject] = mine + 1
      state.inAll += 1
      return true
    }
  }

  /// Gives a slot back that was taken.
  func give(_ subject: RateLimits.Subject) {
    state.withLock { state in
      let mine = state.bySubject[subject] ?? 1
      state.bySubject[subject] = mine > 1 ? mine - 1 : nil
      state.inAll -= 1
    }
  }
}
