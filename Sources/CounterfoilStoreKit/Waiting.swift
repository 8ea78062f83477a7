import PaymentVocabulary

/// Waits for something that may never come.
struct Waiting<Value: Sendable>: Sendable {
  private let values: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation

  init() { (values, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingOldest(1)) }

  /// Ends the waiting; the first value counts.
  func end(_ value: Value) {
    continuation.yield(value)
    continuation.finish()
  }

  /// The value; nil when the task was cancelled first.
  func value() async -> Value? {
    for await value in values { return value }
    return nil
  }

  /// The value; nil when the time was over first.
  func value(within limit: TimeSpan, _ surroundings: Surroundings) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
      group.addTask { await value() }
      group.addTask {
        try? await surroundings.sleep(limit)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}

extension Surroundings {
  /// Does work that may never end, and waits for it for at most that long; the work is cancelled then.
  func bounded<Value: Sendable>(
    _ limit: TimeSpan, _ work: @escaping @Sendable () async -> Value
  ) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
      group.addTask { await work() }
      group.addTask {
        try? await self.sleep(limit)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}
