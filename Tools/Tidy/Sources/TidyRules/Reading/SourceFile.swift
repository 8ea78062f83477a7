import Foundation

/// A text file of the repository. Rules are functions over it, so that tests can give them planted violations.
package struct SourceFile: Sendable {
  package enum Language: Sendable { case swift, c, markdown, shell, other }

  /// From the root of the repository, with `/` between the parts.
  package let path: String
  package let text: String
  package let language: Language
  /// The lines without their ends.
  let lines: [String]
  /// Empty for all but Swift. Of C and C++ it has the tokens alone: the lexer of Swift reads them well enough.
  package let facts: SwiftFacts

  var code: [Token] { facts.code }

  package var functions: [SwiftFacts.Function] { language == .c ? CFunctions.all(code) : facts.functions }

  var lineCount: Int { lines.last == "" ? lines.count - 1 : lines.count }

  /// - Parameter isParsed: whether the rules are to read it.
  package init(_ path: String, _ text: String, isParsed: Bool = true) {
    self.path = path
    self.text = text
    language = Self.language(of: path, text)
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    facts = isParsed && (language == .swift || language == .c) ? SwiftFacts(text) : SwiftFacts()
  }

  /// Whether it is in that folder, or is that file.
  package func isIn(_ place: String) -> Bool {
    path == place || path.hasPrefix(place.hasSuffix("/") ? place : place + "/")
  }

  /// The name of the target whose folder it is in; nil outside of the main package.
  var target: String? { Self.target(of: path) }

  static func target(of path: String) -> String? {
    let parts = path.split(separator: "/")
    if path.hasPrefix("Examples/Shop/"), !path.hasSuffix(".md") { return "ShopExample" }
    if path.hasPrefix("Examples/ShopPage/"), !path.hasSuffix(".md") { return "ShopPageExample" }
    if path.hasPrefix("Clients/flutter/ios/counterfoil_flutter/Sources/") { return "CounterfoilFlutter" }
    if path.hasPrefix(LayerRule.frameworkShims) { return parts.count > 4 ? String(parts[3]) : nil }
    if parts[0] == "Sources" { return parts.count > 3 ? String(parts[2]) : nil }
    return parts.count > 2 && parts[0] == "Tests" ? String(parts[1]) : nil
  }

  /// The name of the file without its folder and ending.
  var name: String { Self.name(of: path) }

  static func name(of path: String) -> String {
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

extension String {
  /// Whether it contains a phrase, compared by bytes: `contains` takes seconds for the whole repository.
  func has(_ phrase: String) -> Bool { strstr(self, phrase) != nil }
}

/// A place where a rule is broken.
package struct Finding: Equatable, Sendable, CustomStringConvertible {
  package let path: String
  package let line: Int
  package let message: String

  init(_ file: SourceFile, _ line: Int, _ message: String) { self.init(file.path, line, message) }

  init(_ path: String, _ line: Int, _ message: String) {
    self.path = path
    self.line = line
    self.message = message
  }

  /// In the form of a compiler's error, which editors and CI understand.
  package var description: String { "\(path):\(line): error: \(message)" }
}
