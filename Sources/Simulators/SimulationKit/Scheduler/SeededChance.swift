/// A repeatable random stream from a seed: SplitMix64. Each purpose has its own stream, so more draws for one change
/// no other.
package struct SeededChance: Hashable, Sendable {
  private var state: UInt64

  /// The stream for a seed and a purpose.
  package init(seed: UInt64, purpose: String) {
    // FNV-1a of the purpose, so that the stream does not depend on Swift's per-process hashing.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in purpose.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    state = seed ^ hash
    _ = next()
  }

  /// The next 64 bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// A number from 0 up to, not including, `bound`.
  package mutating func number(below bound: Int) -> Int {
    bound <= 1 ? 0 : Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// True in this many of a thousand cases.
  package mutating func happens(perMille: Int) -> Bool { number(below: 1000) < perMille }

  /// That many bytes.
  package mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let number = next()
      for shift in 0..<8 where bytes.count < count {
        bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift * 8)))
      }
    }
    return bytes
  }

  /// A random item; nil for an empty array.
  package mutating func pick<Item>(_ items: [Item]) -> Item? {
    items.isEmpty ? nil : items[number(below: items.count)]
  }
}
