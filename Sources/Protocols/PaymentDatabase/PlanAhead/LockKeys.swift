/// The keys of one run of a closure, in the order of their recording.
///
/// A closure names the same few keys again and again. So a comparison with the last ones finds most repetitions, and
/// costs less than a set. A key may still be here twice.
package struct LockKeys: Sendable {
  /// How many of the last keys a new one is compared with.
  private static let comparedMax = 16

  package private(set) var all: [LockKey] = []

  /// - Parameter capacity: about how many there will be: to grow step by step costs as much as many keys.
  package init(capacity: Int = 0) { all.reserveCapacity(capacity) }

  package mutating func insert(_ key: LockKey) {
    if all.suffix(Self.comparedMax).contains(key) { return }
    all.append(key)
  }

  func contains(_ key: LockKey) -> Bool { all.contains(key) }

  /// What a plan keeps of them.
  package var hashes: [Int] { all.map(\.hashValue) }
}
