/// Wakes tasks in this process that wait for updates of a subject. A missed signal costs a moment, never the update:
/// a waiting task also checks the database again without a signal.
package actor ChangeSignal<Subject: Hashable & Sendable> {
  private var listeners: [Subject: [Int: AsyncStream<Void>.Continuation]] = [:]
  private var lastNumber = 0

  package init() {}

  /// A stream that yields at each signal for a subject, until its number is passed to `stop`.
  package func listen(for subject: Subject) -> (number: Int, signals: AsyncStream<Void>) {
    lastNumber += 1
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    listeners[subject, default: [:]][lastNumber] = continuation
    return (lastNumber, stream)
  }

  package func stop(_ number: Int, for subject: Subject) {
    listeners[subject]?.removeValue(forKey: number)?.finish()
    if listeners[subject]?.isEmpty == true { listeners[subject] = nil }
  }

  /// Signals that a change of that subject was committed.
  package func signal(for subject: Subject) {
    for (_, continuation) in (listeners[subject] ?? [:]).sorted(by: { $0.key < $1.key }) {
      continuation.yield()
    }
  }
}
