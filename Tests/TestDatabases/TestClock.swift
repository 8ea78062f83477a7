package import PaymentPrimitives
import Synchronization

/// A clock that stands still until a test sets it.
package final class TestClock: Sendable {
  private let moment = Mutex(Timestamp(milliseconds: 1_790_000_000_000))

  package init() {}

  package var now: Timestamp { moment.withLock { $0 } }

  package func advance(by span: TimeSpan) { moment.withLock { $0 = $0 + span } }

  package func set(_ moment: Timestamp) { self.moment.withLock { $0 = moment } }
}

/// Dependencies with that clock and bytes that count up.
package func testDependencies(_ clock: TestClock) -> Dependencies {
  Dependencies(
    now: { clock.now }, randomBytes: { count in (0..<count).map { UInt8(truncatingIfNeeded: $0) } },
    sleep: { _ in })
}

/// The same with other bytes at each call: orders of several users need ids of their own.
package func testDependenciesWithOwnBytes(_ clock: TestClock) -> Dependencies {
  let calls = Mutex(0)
  return Dependencies(
    now: { clock.now },
    randomBytes: { count in
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      return (0..<count).map { UInt8(truncatingIfNeeded: $0 < 4 ? call >> (8 * $0) : $0) }
    }, sleep: { _ in })
}
