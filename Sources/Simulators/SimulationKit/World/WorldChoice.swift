import Synchronization

/// A random stream that several tasks share.
final class WorldChoice: Sendable {
  private let chance: Mutex<SeededChance>

  init(_ chance: SeededChance) { self.chance = Mutex(chance) }

  func number(below bound: Int) -> Int { chance.withLock { $0.number(below: bound) } }
}
