import Counterfoil
import PaymentPrimitives

/// Waits for a value that may never come.
struct Waiting<Value: Sendable>: Sendable {
  private let values: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation

  init() { (values, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingOldest(1)) }

  /// Ends the wait; only the first value counts.
  func end(_ value: Value) {
    continuation.yield(value)
    continuation.finish()
  }

  /// The value; nil if the task was cancelled first.
  func value() async -> Value? {
    for await value in values { return value }
    return nil
  }

  /// The value; nil if the time ended first.
  func value(within limit: TimeSpan, _ dependencies: Dependencies) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
      group.addTask { await value() }
      group.addTask {
        try? await dependencies.sleep(limit)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}

/// Waits for a vendor's work for a limited time, even if that work ignores cancellation. The work runs in parallel,
/// and continues alone when the time ends. A task group would wait for a cancelled child that goes on.
struct BoundedWait: Sendable {
  let dependencies: Dependencies
  let start: AdapterStart

  /// The result of a call of the store. It throws as soon as this task is cancelled; the call itself goes on, and what
  /// it brings comes as an update.
  func result<Value: Sendable>(
    of call: @escaping @Sendable () async throws(StoreFailure) -> Value
  ) async throws(StoreFailure) -> Value {
    let waiting = Waiting<Result<Value, StoreFailure>>()
    start.start {
      do throws(StoreFailure) {
        waiting.end(.success(try await call()))
      } catch {
        waiting.end(.failure(error))
      }
    }
    guard let result = await waiting.value() else { throw StoreFailure(.other, explanation: "cancelled") }
    return try result.get()
  }

  /// The result of the work; nil if the time ended first, or this task was cancelled.
  func value<Value: Sendable>(
    within limit: TimeSpan, _ work: @escaping @Sendable () async -> Value
  ) async -> Value? {
    let waiting = Waiting<Value>()
    start.start { waiting.end(await work()) }
    return await waiting.value(within: limit, dependencies)
  }
}
