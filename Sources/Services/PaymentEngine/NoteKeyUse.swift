import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
import Synchronization

/// Which operator keys were used, until it is written. A call only notes its key here, so no caller waits for a write.
final class KeyUses: Sendable {
  /// Maximum keys that wait to be written: an installation has a few dozen.
  private static let countMax = 1024

  private struct State {
    var waiting: [CredentialIdentifier: Timestamp] = [:]
    var listener: AsyncStream<Void>.Continuation?
  }

  private let state = Mutex(State())

  func note(_ id: CredentialIdentifier, at moment: Timestamp) {
    state.withLock { state in
      guard state.waiting[id] != nil || state.waiting.count < Self.countMax else { return }
      state.waiting[id] = moment
      state.listener?.yield()
    }
  }

  func takeAll() -> [(id: CredentialIdentifier, moment: Timestamp)] {
    state.withLock { state in
      defer { state.waiting = [:] }
      return state.waiting.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
  }

  /// Yields when there is something to write, for the newest listener.
  func signals() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      state.listener?.finish()
      state.listener = continuation
      if !state.waiting.isEmpty { continuation.yield() }
    }
    return stream
  }
}

extension PaymentEngine {
  /// How precisely the last use of a key is stored: a busy key costs one write in this time.
  package static let keyUsePrecision = TimeSpan.hours(1)

  /// Notes that an operator key was used. `keepKeyUses` writes it later, and only if the stored time is older than
  /// `keyUsePrecision`.
  package func noteUse(of key: APIKey) {
    let now = dependencies.now()
    guard key.usedAt.map({ now - $0 >= Self.keyUsePrecision }) ?? true else { return }
    keyUses.note(key.id, at: now)
  }

  /// Writes the noted uses, until the task is cancelled.
  func keepKeyUses() async {
    for await _ in keyUses.signals() {
      do {
        // Several keys of one moment are one write.
        try await dependencies.sleep(limits.keyUsePause)
        try await writeKeyUses()
      } catch is CancellationError { return } catch {
        // Nothing is lost: the next call with that key notes it again.
        log(LogEvent(.warning, "key.useNotNoted", [("error", "\(error)")]))
      }
    }
  }

  /// Writes what was noted so far.
  package func writeKeyUses() async throws {
    let uses = keyUses.takeAll()
    guard !uses.isEmpty else { return }
    try await transact { transaction in
      for (id, moment) in uses {
        guard var key = try transaction.apiKey(id) else { continue }
        if let before = key.usedAt, moment - before < Self.keyUsePrecision { continue }
        key.usedAt = moment
        try transaction.update(key)
      }
    }
  }
}
