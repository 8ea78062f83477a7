import Synchronization

/// Chance that is the same in every run, drawn from by several tasks: each draw is another, whoever makes it. Where the
/// order of the tasks is not fixed, neither is who draws what.
package final class CountedChance: Sendable {
  private let state = Mutex<UInt64>(0)

  package init() {}

  /// That many bytes.
  package func bytes(_ count: Int) -> [UInt8] {
    state.withLock { state in
      (0..<count).map { _ in
        // A linear congruential generator with Knuth's factor for 64 bits; its high bits are the good ones.
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
      }
    }
  }
}
