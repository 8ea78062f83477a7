import CounterfoilCLI
import Synchronization

/// Numbers that several callers take in turn, each number once.
final class Turns: Sendable {
  private let taken = Atomic<Int>(0)
  private let count: Int

  init(_ count: Int) { self.count = count }

  /// The next number; nil when all are taken.
  func next() -> Int? {
    let turn = taken.add(1, ordering: .relaxed).oldValue
    return turn < count ? turn : nil
  }
}
