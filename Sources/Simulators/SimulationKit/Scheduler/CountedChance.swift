import Synchronization

/// A fixed pseudo-random stream that several tasks share: every run draws the same values in the same order. If the
/// order of the tasks varies, so does the task that gets a value.
package final class CountedChance: Sendable {
  private let state = Mutex<UInt64>(0)

  package init() {}

  /// That many bytes.
  package func bytes(_ count: Int) -> [UInt8] {
    state.withLock { state in
      (0..<count).map { _ in
        // A linear congruential generator with Knuth's factor for 64 bits; its high bits are of better quality.
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
      }
    }
  }
}
