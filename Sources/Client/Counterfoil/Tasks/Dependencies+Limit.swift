import PaymentPrimitives

extension Dependencies {
  /// Does the work for at most that long.
  ///
  /// The work must heed cancellation: it is cancelled when the time is over, and waited for. For work that may not,
  /// see `Purchasing.bounded`.
  ///
  /// - Returns: what the work returned; nil when the time was over first, or this task was cancelled.
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

  /// A span of one to 1.2 times its length, so that many devices that failed together do not come back together.
  func jittered(_ span: TimeSpan) -> TimeSpan {
    let fifth = UInt64(clamping: span.milliseconds / 5)
    return .milliseconds(span.milliseconds + Int64(clamping: randomNumber(below: fifth + 1)))
  }
}

extension TimeSpan {
  /// What is left of a span after another; less than nothing when the other is longer.
  static func - (a: TimeSpan, b: TimeSpan) -> TimeSpan { .milliseconds(a.milliseconds - b.milliseconds) }
}
