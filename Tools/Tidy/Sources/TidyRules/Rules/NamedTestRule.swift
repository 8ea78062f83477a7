/// A page that says which test shows something names the file in backticks and the test in quotation marks behind it.
///
/// In Swift the test is a function of that name. In the other clients it is a sentence, in quotation marks of its own.
package enum NamedTestRule {
  private static let places = ["Tests/", "Clients/"]

  package static func findings(in page: SourceFile, _ files: [SourceFile]) -> [Finding] {
    page.lines.enumerated().flatMap { index, line in
      names(in: line).compactMap { path, name in
        guard let file = files.first(where: { $0.path == path }) else {
          return Finding(page, index + 1, "there is no test file \(path)")
        }
        return has(name, file) ? nil : Finding(page, index + 1, "\(path) has no test “\(name)”")
      }
    }
  }

  private static func has(_ name: String, _ file: SourceFile) -> Bool {
    if file.language == .swift { return file.text.contains("func `\(name)`") }
    return file.text.contains("\"\(name)\"") || file.text.contains("'\(name)'")
  }

  /// The paths and names of tests in a line: `` `Tests/A.swift` “does it” ``.
  package static func names(in line: String) -> [(path: String, name: String)] {
    line.split(separator: "“").dropFirst().enumerated().compactMap { index, rest in
      let before = line.split(separator: "“")[index]
      let spans = before.split(separator: "`", omittingEmptySubsequences: false)
      guard spans.count > 2, spans.last == " ", places.contains(where: { spans[spans.count - 2].hasPrefix($0) })
      else { return nil }
      return (String(spans[spans.count - 2]), String(rest.prefix { $0 != "”" }))
    }
  }
}
