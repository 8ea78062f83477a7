/// A value that one task waits for and another sets, once. Later values are dropped.
///
/// Built on `AsyncStream` so that the wait ends when the waiting task is cancelled. Only one task may wait.
struct OneShotPromise<Value: Sendable>: Sendable {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingOldest(1))
  }

  func resolve(_ value: Value) {
    continuation.yield(value)
    continuation.finish()
  }

  /// The value; nil when the waiting task was cancelled first.
  func value() async -> Value? {
    for await value in stream { return value }
    return nil
  }
}
