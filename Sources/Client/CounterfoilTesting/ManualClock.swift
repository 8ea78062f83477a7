public import PaymentPrimitives
import Synchronization

/// Simulated time that passes only when nothing else can happen. It wakes sleeping tasks and runs scheduled actions.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public final class ManualClock: Sendable {
  private struct Timer {
    let due: Timestamp
    let number: Int
    let action: @Sendable () -> Void
  }

  private struct State {
    var now = Timestamp(milliseconds: 1_800_000_000_000)
    var timers: [Timer] = []
    var count = 0
    var random: UInt64 = 7
  }

  private let state = Mutex(State())

  /// A clock that stands at 15 January 2027, 8 o'clock UTC.
  public init() {}

  /// The present time of this clock.
  public var now: Timestamp { state.withLock { $0.now } }

  /// Schedules an action after a span of time.
  @discardableResult
  public func after(_ span: TimeSpan, _ action: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.count += 1
      state.timers.append(Timer(due: state.now + max(span, .zero), number: state.count, action: action))
      return state.count
    }
  }

  private func withdraw(_ number: Int) {
    state.withLock { $0.timers.removeAll { $0.number == number } }
  }

  /// When the next action is due; nil if there is none.
  public var nextDue: Timestamp? { state.withLock { $0.timers.map(\.due).min() } }

  /// Advances to the next due action and runs it.
  public func fireNext() {
    let timer: Timer? = state.withLock { state in
      let next = state.timers.indices.min {
        (state.timers[$0].due, state.timers[$0].number) < (state.timers[$1].due, state.timers[$1].number)
      }
      guard let next else { return nil }
      let timer = state.timers.remove(at: next)
      state.now = max(state.now, timer.due)
      return timer
    }
    timer?.action()
  }

  /// Lets time pass while nothing runs: actions that fall due meanwhile are run.
  public func pass(_ span: TimeSpan) {
    let end = now + span
    while let due = nextDue, due <= end { fireNext() }
    state.withLock { $0.now = max($0.now, end) }
  }

  /// Changes the clock as a customer may: forward or back.
  public func jump(_ span: TimeSpan) { state.withLock { $0.now = $0.now + span } }

  private func bytes(_ count: Int) -> [UInt8] {
    state.withLock { state in
      (0..<count).map { _ in
        // SplitMix64, one byte per step: the same numbers in every run.
        state.random &+= 0x9E37_79B9_7F4A_7C15
        var z = state.random
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return UInt8(truncatingIfNeeded: z ^ (z >> 31))
      }
    }
  }

  private func sleep(_ span: TimeSpan) async throws {
    let number = Mutex(0)
    let waking = AsyncStream<Void>.makeStream()
    let timer = after(span) { waking.continuation.finish() }
    number.withLock { $0 = timer }
    for await _ in waking.stream {}
    // The stream ends when the time ends, and also when the task is cancelled.
    if Task.isCancelled {
      withdraw(number.withLock { $0 })
      throw CancellationError()
    }
  }

  /// The dependencies of a process in this simulation.
  public var dependencies: Dependencies {
    Dependencies(
      now: { self.now }, randomBytes: { self.bytes($0) }, sleep: { try await self.sleep($0) })
  }
}
