/// The names that Swift files declare, to look up what a page calls `Type.member`.
package struct Declarations: Sendable {
  /// The members of each type, by its last name: functions, properties, cases, nested types.
  private var members: [String: Set<String>] = [:]
  /// Functions and values outside of types.
  private var free: Set<String> = []

  init() {}

  package init(_ files: [SourceFile]) {
    for file in files where file.language == .swift {
      members.merge(file.facts.declarations.members) { $0.union($1) }
      free.formUnion(file.facts.declarations.free)
    }
  }

  mutating func add(type: String) { members[type, default: []].formUnion([]) }
  mutating func add(member: String, of type: String) { members[type, default: []].insert(member) }
  mutating func add(free name: String) { free.insert(name) }

  /// Whether that name is declared: `Type`, `Type.member`, `Outer.Inner.member`. Argument labels are ignored.
  func contains(_ symbol: String) -> Bool {
    let parts = symbol.prefix { $0 != "(" }.split(separator: ".").map(String.init)
    guard let first = parts.first else { return false }
    if parts.count == 1 { return members[first] != nil || free.contains(first) }
    return zip(parts, parts.dropFirst()).allSatisfy { members[$0]?.contains($1) == true }
  }
}
