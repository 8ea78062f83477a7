/// A repeatable source of random numbers: SplitMix64.
struct SeededChance: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func number(below bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// True once in `count` calls on average.
  mutating func oneIn(_ count: Int) -> Bool { number(below: count) == 0 }

  mutating func one<Element>(of elements: [Element]) -> Element {
    elements[number(below: elements.count)]
  }

  mutating func maybe<Value>(_ value: (inout SeededChance) -> Value) -> Value? {
    oneIn(2) ? nil : value(&self)
  }
}

/// A value to the last byte of its texts, to compare input with output. Swift treats equivalent texts as equal.
func rendering<Value>(_ value: Value) -> String {
  if let text = value as? String {
    // The text for the reader, and a hash of its bytes (FNV-1a) for the comparison.
    let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return "'\(text.prefix(40))'#\(hash)"
  }
  let mirror = Mirror(reflecting: value)
  let children = mirror.children.map { "\($0.label ?? "")=\(rendering($0.value))" }
  switch mirror.displayStyle {
  case .optional: return mirror.children.first.map { rendering($0.value) } ?? "nil"
  case .set, .dictionary: return "{" + children.sorted().joined(separator: ",") + "}"
  case .enum where children.isEmpty: return "\(value)"
  case .none: return "\(value)"
  default: return "\(mirror.subjectType)(" + children.joined(separator: ",") + ")"
  }
}
