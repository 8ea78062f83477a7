/// Every public declaration is documented, cases of public enumerations and requirements of public protocols among them
/// (CONVENTIONS 3).
enum DocumentationRule {
  /// Witnesses whose meaning is that of their protocol.
  private static let witnesses: Set<String> = [
    "==", "<", "hash", "description", "debugDescription", "customMirror", "rawValue", "init(rawValue",
    "init(stringLiteral", "init(dictionaryLiteral", "init(arrayLiteral", "init(integerLiteral", "encode", "init(from",
    "meaning", "remedy", "retry", "enqueue", "asUnownedSerialExecutor", "checkIsolated",
  ]
  private static let modifiers: Set<String> = [
    "static", "final", "mutating", "nonmutating", "nonisolated", "indirect", "override", "required", "convenience",
    "lazy",
    "weak", "unowned", "consuming", "borrowing", "prefix", "postfix", "infix", "isolated", "sending", "class",
  ]
  private static let declaring: Set<String> = [
    "func", "var", "let", "init", "subscript", "struct", "class", "enum", "actor", "protocol", "typealias", "case",
    "associatedtype", "extension", "import", "macro",
  ]

  static func findings(in file: SourceFile) -> [Finding] {
    // The shims declare what Apple documents.
    guard file.language == .swift, file.path.hasPrefix("Sources/"), !file.isIn("Sources/Simulators") else { return [] }
    var scopes: [Scope] = []
    var pending = Scope.other
    var findings: [Finding] = []
    let tokens = file.tokens
    for index in tokens.indices where !tokens[index].isComment {
      let token = tokens[index]
      if token.is("{") {
        scopes.append(pending)
        pending = .other
      } else if token.is("}") {
        _ = scopes.popLast()
      } else if let declaration = declaration(tokens, index, in: scopes.last ?? .other) {
        if declaration.mustBeDocumented, !isDocumented(tokens, declaration.start) {
          findings.append(Finding(file, token.line, "\(declaration.name) is public and has no documentation"))
        }
        pending = declaration.opens
      }
    }
    return findings
  }

  /// What a brace belongs to, as far as it decides what within must be documented.
  private enum Scope { case publicEnumeration, publicProtocol, other }

  private struct Declaration {
    let name: String
    let start: Int
    let mustBeDocumented: Bool
    let opens: Scope
  }

  private static func declaration(_ tokens: [Token], _ index: Int, in scope: Scope) -> Declaration? {
    let keyword = tokens[index]
    guard keyword.kind == .word, declaring.contains(keyword.text), index == 0 || !tokens[index - 1].is(".") else {
      return nil
    }
    // `class func`, `case .some`: the word is a modifier or a pattern here.
    if keyword.text == "class", index + 1 < tokens.count, declaring.contains(tokens[index + 1].text) { return nil }
    let (start, isPublic) = beginning(tokens, index)
    let name = name(tokens, index)
    let isMember: Bool
    switch scope {
    case .publicEnumeration: isMember = keyword.text == "case"
    case .publicProtocol: isMember = ["func", "var", "init", "subscript", "associatedtype"].contains(keyword.text)
    case .other: isMember = false
    }
    let opens: Scope =
      !isPublic
      ? .other : keyword.text == "enum" ? .publicEnumeration : keyword.text == "protocol" ? .publicProtocol : .other
    let isExempt =
      ["import", "extension"].contains(keyword.text) || witnesses.contains { name == $0 || name.hasPrefix($0 + ":") }
    return Declaration(
      name: "\(keyword.text) \(name)", start: start, mustBeDocumented: (isPublic || isMember) && !isExempt, opens: opens
    )
  }

  /// The first token of a declaration, attributes and modifiers included, and whether it is public.
  private static func beginning(_ tokens: [Token], _ keyword: Int) -> (start: Int, isPublic: Bool) {
    var start = keyword
    var isPublic = false
    var index = keyword - 1
    while index >= 0 {
      let token = tokens[index]
      if token.kind == .word, modifiers.contains(token.text) || isAttributeName(tokens, index) {
        start = index
      } else if token.kind == .word, token.text == "public" {
        start = index
        isPublic = true
      } else if token.kind == .word, ["private", "fileprivate", "internal", "package"].contains(token.text) {
        start = index
      } else if token.is("@") {
        start = index
      } else if token.is(")"), let open = opening(tokens, index), open > 0,
        isAttributeName(tokens, open - 1)
          || ["private", "fileprivate", "package", "internal", "nonisolated", "unowned"]
            .contains(tokens[open - 1].text)
      {
        // The parenthesis of `@available(…)`, or of `private(set)`.
        index = open
      } else {
        break
      }
      index -= 1
    }
    return (start, isPublic)
  }

  private static func isAttributeName(_ tokens: [Token], _ index: Int) -> Bool {
    index > 0 && tokens[index].kind == .word && tokens[index - 1].is("@")
  }

  private static func opening(_ tokens: [Token], _ close: Int) -> Int? {
    var depth = 0
    for index in stride(from: close, through: 0, by: -1) {
      if tokens[index].is(")") { depth += 1 }
      if tokens[index].is("(") { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }

  private static func name(_ tokens: [Token], _ keyword: Int) -> String {
    guard keyword + 1 < tokens.count else { return "" }
    let next = tokens[keyword + 1]
    switch tokens[keyword].text {
    case "init":
      guard next.is("("), keyword + 2 < tokens.count else { return "init" }
      return "init(\(tokens[keyword + 2].text)"
    case "subscript": return "subscript"
    default:
      // An operator of two characters is two tokens.
      let second = keyword + 2 < tokens.count ? tokens[keyword + 2] : nil
      return next.kind == .punctuation && second?.touchesPrevious == true && second?.is("(") == false
        ? next.text + (second?.text ?? "") : next.text
    }
  }

  /// Whether a documentation comment ends on the line above.
  private static func isDocumented(_ tokens: [Token], _ start: Int) -> Bool {
    guard start > 0 else { return false }
    let before = tokens[start - 1]
    return before.kind == .documentation && before.endLine == tokens[start].line - 1
  }
}
