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
