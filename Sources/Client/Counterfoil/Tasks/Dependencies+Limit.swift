import PaymentPrimitives

extension Dependencies {
  /// Does the work for at most the given time.
  ///
  /// The work must heed cancellation: when the time ends, it is cancelled and waited for. For work that may not, see
  /// `BackgroundTasks.bounded`.
  ///
  /// - Returns: what the work returned; nil if the time ended first, or this task was cancelled.
  func limited<Value: Sendable>(
    to span: TimeSpan, _ work: @escaping @Sendable () async -> Value
  ) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
      group.addTask { await work() }
      group.addTask {
        try? await sleep(span)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
  }

  /// A random span of 1 to 1.2 times the given one, so that many devices that failed together do not retry together.
  func jittered(_ span: TimeSpan) -> TimeSpan {
    let fifth = UInt64(clamping: span.milliseconds / 5)
    return .milliseconds(span.milliseconds + Int64(clamping: randomNumber(below: fifth + 1)))
  }
}

extension TimeSpan {
  /// The difference of two spans; negative when the second is longer.
  static func - (a: TimeSpan, b: TimeSpan) -> TimeSpan { .milliseconds(a.milliseconds - b.milliseconds) }
}
