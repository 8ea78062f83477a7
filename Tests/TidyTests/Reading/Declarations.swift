/// The names that the sources declare: types, and what belongs to each, so that a page's `Type.member` can be looked
/// up.
struct Declarations: Sendable {
  /// The members of each type, by its last name: functions, properties, cases, nested types.
  private(set) var members: [String: Set<String>] = [:]
  /// Functions and values outside of types.
  private(set) var free: Set<String> = []

  init(_ files: [SourceFile]) {
    for file in files where file.language == .swift { read(file.code) }
  }

  /// Whether that name is declared: `Type`, `Type.member`, `Outer.Inner.member`. Labels of a call are not looked at.
  func contains(_ symbol: String) -> Bool {
    let parts = symbol.prefix { $0 != "(" }.split(separator: ".").map(String.init)
    guard let first = parts.first else { return false }
    if parts.count == 1 { return members[first] != nil || free.contains(first) }
    guard members[first] != nil else { return false }
    return zip(parts, parts.dropFirst()).allSatisfy { members[$0]?.contains($1) == true }
  }

  private static let types: Set<String> = ["struct", "class", "enum", "actor", "protocol", "extension"]

  private mutating func read(_ code: [Token]) {
    var scopes: [String?] = []
    var pending: String?
    for index in code.indices {
      let token = code[index]
      if token.is("{") {
        scopes.append(pending)
        pending = nil
      } else if token.is("}") {
        _ = scopes.popLast()
      } else if token.kind == .word, index + 1 < code.count, index == 0 || !code[index - 1].is(".") {
        let name = code[index + 1]
        if Self.types.contains(token.text), name.kind == .word, name.text != "func", name.text != "var" {
          pending = typeName(code, index + 1)
          members[pending ?? "", default: []].formUnion([])
          if token.text != "extension" { declare(name.text, in: scopes.last ?? nil, scopes) }
        } else if ["func", "var", "let", "typealias", "associatedtype", "case"].contains(token.text) {
          if token.text == "typealias" { members[name.text, default: []].formUnion([]) }
          for name in names(code, index) { declare(name, in: scopes.last ?? nil, scopes) }
        } else if token.text == "init" || token.text == "subscript" {
          declare(token.text, in: scopes.last ?? nil, scopes)
        }
      }
    }
  }

  private mutating func declare(_ name: String, in type: String?, _ scopes: [String?]) {
    if let type {
      members[type, default: []].insert(name)
    } else if scopes.isEmpty {
      free.insert(name)
    }
  }

  /// The last part of `extension Outer.Inner`.
  private func typeName(_ code: [Token], _ start: Int) -> String {
    var index = start
    while index + 2 < code.count, code[index + 1].is("."), code[index + 2].kind == .word { index += 2 }
    return code[index].text
  }

  /// The names of a declaration; an enumeration's case may declare several.
  private func names(_ code: [Token], _ keyword: Int) -> [String] {
    guard code[keyword].is("case") else { return [code[keyword + 1].text] }
    var names: [String] = []
    var depth = 0
    var isExpected = true
    for token in code[(keyword + 1)...] {
      if token.is("(") || token.is("[") { depth += 1 }
      if token.is(")") || token.is("]") { depth -= 1 }
      guard depth == 0 else { continue }
      if isExpected {
        guard token.kind == .word || token.kind == .rawIdentifier else { break }
        names.append(token.text)
        isExpected = false
      } else if token.is(",") {
        isExpected = true
      } else if !token.is(")") && !token.is("=") && token.kind != .text && token.kind != .number {
        break
      }
    }
    return names
  }
}
