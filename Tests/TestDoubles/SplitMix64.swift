/// Random numbers that are the same in every run of a seed (Steele, Lea, Flood 2014).
package struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  package mutating func number(below bound: Int) -> Int { Int(next() % UInt64(bound)) }

  package mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

  /// True once in `count` calls on average.
  package mutating func oneIn(_ count: Int) -> Bool { number(below: count) == 0 }

  package mutating func one<Element>(of elements: [Element]) -> Element {
    elements[number(below: elements.count)]
  }

  package mutating func maybe<Value>(_ value: (inout SplitMix64) -> Value) -> Value? {
    oneIn(2) ? nil : value(&self)
  }
}
