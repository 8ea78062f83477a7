/// Wakes those who wait for news of a subject in this process. A missed ring costs a moment, never the news: whoever
/// waits looks at the store again by himself.
actor ChangeSignal<Subject: Hashable & Sendable> {
  private var listeners: [Subject: [Int: AsyncStream<Void>.Continuation]] = [:]
  private var lastNumber = 0

  /// A stream that yields at each ring for a subject, until its number is handed to `stop`.
  func listen(for subject: Subject) -> (number: Int, rings: AsyncStream<Void>) {
    lastNumber += 1
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    listeners[subject, default: [:]][lastNumber] = continuation
    return (lastNumber, stream)
  }

  func stop(_ number: Int, for subject: Subject) {
    listeners[subject]?.removeValue(forKey: number)?.finish()
    if listeners[subject]?.isEmpty == true { listeners[subject] = nil }
  }

  /// Something about that subject was committed.
  func ring(for subject: Subject) {
    for (_, continuation) in (listeners[subject] ?? [:]).sorted(by: { $0.key < $1.key }) {
      continuation.yield()
    }
  }
}
