/// One file, one idea: lengths have bounds (CONVENTIONS 2).
enum LengthRule {
  static let fileLinesMax = 300
  static let functionLinesMax = 60
  static let lineCharactersMax = 120

  /// - Parameter longer: how long a file, or a function (its path and name), may still be.
  static func findings(in file: SourceFile, longer: [String: Int] = Ratchets.lengths) -> [Finding] {
    guard file.language == .swift || file.language == .c else { return [] }
    var findings: [Finding] = []
    let count = file.lines.last == "" ? file.lines.count - 1 : file.lines.count
    if count > max(fileLinesMax, longer[file.path] ?? 0) {
      findings.append(Finding(file, count, "the file has \(count) lines; at most \(fileLinesMax): divide it by ideas"))
    }
    for (index, line) in file.lines.enumerated() where line.count > lineCharactersMax {
      findings.append(Finding(file, index + 1, "\(line.count) characters; a line has at most \(lineCharactersMax)"))
    }
    for function in Functions.all(in: file)
    where function.lines > max(functionLinesMax, longer["\(file.path) \(function.name)"] ?? 0) {
      findings.append(
        Finding(
          file, function.first,
          "\(function.name) has \(function.lines) lines; a function has at most \(functionLinesMax)"))
    }
    return findings
  }
}

extension LengthRule {
  /// Entries of the ratchet that are no longer needed, or allow more than is used.
  static func idle(_ longer: [String: Int], among files: [SourceFile]) -> [String] {
    longer.keys.sorted().filter { entry in
      let parts = entry.split(separator: " ")
      guard let file = files.first(where: { $0.path == parts[0] }) else { return true }
      let lines = file.lines.last == "" ? file.lines.count - 1 : file.lines.count
      let functions = Functions.all(in: file).filter { parts.count > 1 && $0.name == parts[1] }.map(\.lines)
      let length = parts.count > 1 ? functions.max() ?? 0 : lines
      return length <= (parts.count > 1 ? functionLinesMax : fileLinesMax) || length < longer[entry] ?? 0
    }
  }
}

/// The functions of a file with the lines that they take, from the declaration to the closing brace.
enum Functions {
  struct Function: Equatable {
    let name: String
    let first: Int
    let last: Int

    var lines: Int { last - first + 1 }
  }

  static func all(in file: SourceFile) -> [Function] {
    file.language == .c ? ofC(file.code) : ofSwift(file.code)
  }

  // MARK: Swift

  private static func ofSwift(_ code: [Token]) -> [Function] {
    code.indices.compactMap { index in
      guard let name = nameOfSwiftFunction(code, index), let open = body(code, from: index + 1) else { return nil }
      return Function(name: name, first: code[index].line, last: code[closing(code, open)].line)
    }
  }

  /// What is declared at that token: a function, an initializer, a subscript, or a property with a body.
  private static func nameOfSwiftFunction(_ code: [Token], _ index: Int) -> String? {
    let token = code[index]
    guard token.kind == .word, index == 0 || !code[index - 1].is(".") else { return nil }
    switch token.text {
    case "func", "var": return index + 1 < code.count ? code[index + 1].text : nil
    case "init", "subscript", "deinit": return token.text
    default: return nil
    }
  }

  /// Words that begin another declaration: the one before had no body.
  private static let declarations: Set<String> = [
    "func", "var", "let", "init", "subscript", "deinit", "case", "static", "public", "package", "private",
    "fileprivate",
    "internal", "mutating", "associatedtype", "typealias", "struct", "enum", "class", "actor", "protocol", "extension",
    "import", "guard", "if", "return", "for", "while", "switch", "do", "try", "defer", "else",
  ]

  /// The brace that opens the body of a declaration; nil when it has none.
  private static func body(_ code: [Token], from start: Int) -> Int? {
    var depth = 0
    for index in start..<code.count {
      let token = code[index]
      switch token.text {
      case "(" where token.kind == .punctuation, "[" where token.kind == .punctuation: depth += 1
      case ")" where token.kind == .punctuation, "]" where token.kind == .punctuation: depth -= 1
      case "{" where token.kind == .punctuation && depth == 0: return index
      case "}" where token.kind == .punctuation && depth == 0,
        "=" where token.kind == .punctuation && isAssignment(code, index) && depth == 0:
        return nil
      default:
        if depth == 0, token.kind == .word, declarations.contains(token.text), index > start { return nil }
      }
      if depth < 0 { return nil }
    }
    return nil
  }

  /// Whether an equals sign stands alone, and is not part of `==` in a generic requirement.
  private static func isAssignment(_ code: [Token], _ index: Int) -> Bool {
    let before = index > 0 && code[index - 1].is("=") && code[index].touchesPrevious
    let after = index + 1 < code.count && code[index + 1].is("=") && code[index + 1].touchesPrevious
    // The name of an operator function: `func == (a, b)`, `static func < `.
    return !before && !after && !(index > 0 && code[index - 1].is("func"))
  }

  // MARK: C and C++

  /// A body opens behind parentheses, with a few words between: `int f(int a) const noexcept {`.
  private static func ofC(_ code: [Token]) -> [Function] {
    code.indices.compactMap { index in
      guard code[index].is("{"), let name = nameOfCFunction(code, index) else { return nil }
      return Function(name: name.text, first: name.line, last: code[closing(code, index)].line)
    }
  }

  private static let control: Set<String> = ["if", "for", "while", "switch", "catch", "constexpr"]

  private static func nameOfCFunction(_ code: [Token], _ brace: Int) -> Token? {
    var index = brace - 1
    while index > 0, ["const", "noexcept", "override", "final"].contains(code[index].text) { index -= 1 }
    guard index > 0, code[index].is(")") else { return nil }
    var depth = 0
    while index >= 0 {
      if code[index].is(")") { depth += 1 }
      if code[index].is("(") { depth -= 1 }
      if depth == 0 { break }
      index -= 1
    }
    guard index > 0, code[index - 1].kind == .word, !control.contains(code[index - 1].text) else { return nil }
    return code[index - 1]
  }

  // MARK: both

  /// The brace that closes the one at `open`, or the last token.
  private static func closing(_ code: [Token], _ open: Int) -> Int {
    var depth = 0
    for index in open..<code.count {
      if code[index].is("{") { depth += 1 }
      if code[index].is("}") { depth -= 1 }
      if depth == 0 { return index }
    }
    return code.count - 1
  }
}
