package import PaymentPrimitives

/// The questions in progress, so that callers share one question.
package actor RequestCoalescer<Key: Hashable & Sendable> {
  /// The next step of a caller.
  package enum Turn: Sendable {
    /// Ask, then call `done`.
    case yours
    /// A question is in progress: wait for the signal.
    case underWay((number: Int, signals: AsyncStream<Void>))
    /// It was asked a moment ago.
    case justAsked
  }

  private var underWay: Set<Key> = []
  private var asked: [Key: Timestamp] = [:]
  private let finished = ChangeSignal<Key>()

  package init() {}

  package func take(_ key: Key, at now: Timestamp, pause: TimeSpan) async -> Turn {
    if underWay.contains(key) {
      let listener = await finished.listen(for: key)
      // It may have ended while the listener was registered.
      if underWay.contains(key) { return .underWay(listener) }
      await finished.stop(listener.number, for: key)
      return .justAsked
    }
    if asked.count > 1000 { asked = asked.filter { now < $0.value + pause } }
    if let last = asked[key], last <= now, now < last + pause { return .justAsked }
    underWay.insert(key)
    return .yours
  }

  package func done(_ key: Key, at now: Timestamp) async {
    underWay.remove(key)
    asked[key] = now
    await finished.signal(for: key)
  }

  package func stopListening(_ number: Int, for key: Key) async { await finished.stop(number, for: key) }
}
