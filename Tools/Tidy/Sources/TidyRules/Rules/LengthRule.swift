/// One file, one idea: lengths have bounds (CONVENTIONS 2).
package enum LengthRule {
  static let fileLinesMax = 300
  static let functionLinesMax = 60
  static let lineCharactersMax = 120
  static let typeLinesMax = 600
  static let unlabelledMax = 2
  /// No state that two of their files share: one operation in each file, one group of the database's requirements in
  /// each file, or a list (docs/decisions/0168-lengths-over-all-files.md).
  private static let typesWithoutLimit: Set<String> = [
    "PaymentEngine", "SQLTransaction", "InMemoryTransaction", "RecordingTransaction", "Scenarios",
  ]

  /// - Parameter longer: how long a file, or a function (its path and name), may still be.
  package static func findings(in file: SourceFile, longer: [String: Int] = Ratchets.lengths) -> [Finding] {
    guard file.language == .swift || file.language == .c else { return [] }
    var findings: [Finding] = []
    let count = file.lineCount
    if count > max(fileLinesMax, longer[file.path] ?? 0) {
      findings.append(Finding(file, count, "the file has \(count) lines; at most \(fileLinesMax): divide it by ideas"))
    }
    for (index, line) in file.lines.enumerated()
    where line.utf8.count > lineCharactersMax && line.count > lineCharactersMax {
      findings.append(Finding(file, index + 1, "\(line.count) characters; a line has at most \(lineCharactersMax)"))
    }
    for function in file.functions
    where function.lines > max(functionLinesMax, longer["\(file.path) \(function.name)"] ?? 0) {
      findings.append(
        Finding(
          file, function.first,
          "\(function.name) has \(function.lines) lines; a function has at most \(functionLinesMax)"))
    }
    if file.isIn("Sources"), !file.isIn("Sources/Simulators/AppleFrameworkShims") {
      findings += file.facts.unlabelled.filter { !Ratchets.unlabelled.contains("\(file.path) \($0.name)") }.map {
        Finding(file, $0.line, "\($0.name) has more than \(unlabelledMax) unlabelled parameters")
      }
    }
    return findings
  }

  /// Types that are too long over all their files: slicing one over many files does not divide it.
  ///
  /// - Parameter longer: how long a type may still be.
  package static func longTypes(in files: [SourceFile], longer: [String: Int] = Ratchets.types) -> [String] {
    var lengths: [String: Int] = [:]
    for file in files where file.isIn("Sources") {
      for type in file.facts.types where !typesWithoutLimit.contains(type.name) {
        lengths[type.name, default: 0] += type.lines
      }
    }
    return lengths.filter { $0.value > max(typeLinesMax, longer[$0.key] ?? 0) }.sorted { $0.key < $1.key }.map {
      "\($0.key) has \($0.value) lines over all its files; a type has at most \(typeLinesMax): divide it"
    }
      + longer.filter { (lengths[$0.key] ?? 0) < max($0.value, typeLinesMax + 1) }.keys.sorted().map {
        "the ratchet of \($0) allows more than its \(lengths[$0] ?? 0) lines"
      }
  }
}

extension LengthRule {
  /// Entries of the ratchet that are no longer needed, or allow more than is used.
  package static func idle(_ longer: [String: Int], among files: [SourceFile]) -> [String] {
    longer.keys.sorted().filter { entry in
      let parts = entry.split(separator: " ")
      guard let file = files.first(where: { $0.path == parts[0] }) else { return true }
      let functions = file.functions.filter { parts.count > 1 && $0.name == parts[1] }.map(\.lines)
      let length = parts.count > 1 ? functions.max() ?? 0 : file.lineCount
      return length <= (parts.count > 1 ? functionLinesMax : fileLinesMax) || length < longer[entry] ?? 0
    }
  }
}

/// The functions of a C or C++ file.
enum CFunctions {
  /// A body opens behind parentheses, with a few words between: `int f(int a) const noexcept {`.
  static func all(_ code: [Token]) -> [SwiftFacts.Function] {
    code.indices.compactMap { index in
      guard code[index].is("{"), let name = nameOfCFunction(code, index) else { return nil }
      return .init(name: name.text, first: name.line, last: code[closing(code, index)].line)
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
