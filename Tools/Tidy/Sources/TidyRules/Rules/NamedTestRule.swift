/// A page that says which test shows something names the file in backticks and the test in quotation marks behind it.
package enum NamedTestRule {
  package static func findings(in page: SourceFile, _ files: [SourceFile]) -> [Finding] {
    page.lines.enumerated().flatMap { index, line in
      names(in: line).compactMap { path, name in
        guard let file = files.first(where: { $0.path == path }) else {
          return Finding(page, index + 1, "there is no test file \(path)")
        }
        return file.text.contains("func `\(name)`")
          ? nil : Finding(page, index + 1, "\(path) has no test “\(name)”")
      }
    }
  }

  /// The paths and names of tests in a line: `` `Tests/A.swift` “does it” ``.
  package static func names(in line: String) -> [(path: String, name: String)] {
    line.split(separator: "“").dropFirst().enumerated().compactMap { index, rest in
      let before = line.split(separator: "“")[index]
      let spans = before.split(separator: "`", omittingEmptySubsequences: false)
      guard spans.count > 2, spans.last == " ", spans[spans.count - 2].hasPrefix("Tests/") else { return nil }
      return (String(spans[spans.count - 2]), String(rest.prefix { $0 != "”" }))
    }
  }
}
