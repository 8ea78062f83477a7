/// A file of the repository as rules see it: its path, its text, its tokens. Rules are functions over it, so that each
/// is tested with planted violations.
struct SourceFile: Sendable {
  enum Language: Sendable { case swift, c, markdown, shell, other }

  /// From the root of the repository, with `/` between the parts.
  let path: String
  let text: String
  let language: Language
  /// The lines without their ends.
  let lines: [String]
  /// The tokens of Swift, C and C++; none of other files.
  let tokens: [Token]
  /// The tokens without comments.
  let code: [Token]

  init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
    language = Self.language(of: path, text)
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    switch language {
    case .swift: tokens = Tokenizer.tokens(of: text)
    case .c: tokens = Tokenizer.tokens(of: text, .c)
    case .markdown, .shell, .other: tokens = []
    }
    code = tokens.filter { !$0.isComment }
  }

  /// Whether it lies in that folder, or is that file.
  func isIn(_ place: String) -> Bool { path == place || path.hasPrefix(place.hasSuffix("/") ? place : place + "/") }

  /// The name of the target whose folder it lies in; nil outside of them.
  var target: String? {
    let parts = path.split(separator: "/")
    if isIn("Examples/Shop"), language != .markdown { return "ShopExample" }
    if isIn("Sources/Simulators/AppleFrameworkShims") { return parts.count > 4 ? String(parts[3]) : nil }
    if parts[0] == "Sources" { return parts.count > 3 ? String(parts[2]) : nil }
    return parts.count > 2 && parts[0] == "Tests" ? String(parts[1]) : nil
  }

  /// The name of the file without its folder and ending.
  var name: String {
    let last = path.split(separator: "/").last.map(String.init) ?? path
    return String(last.prefix { $0 != "." })
  }

  private static func language(of path: String, _ text: String) -> Language {
    switch path.split(separator: ".").last {
    case "swift": .swift
    case "c", "h", "cpp": .c
    case "md": .markdown
    default: text.hasPrefix("#!/bin/sh") ? .shell : .other
    }
  }
}

/// A place where a rule is broken.
struct Finding: Equatable, CustomStringConvertible {
  let path: String
  let line: Int
  let message: String

  init(_ file: SourceFile, _ line: Int, _ message: String) {
    self.path = file.path
    self.line = line
    self.message = message
  }

  var description: String { "\(path):\(line): \(message)" }
}

extension [Finding] {
  /// What a test says of them: one line each.
  var report: String { map(\.description).joined(separator: "\n") }
}
