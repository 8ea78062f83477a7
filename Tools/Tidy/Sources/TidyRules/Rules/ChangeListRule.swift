/// The lists of docs/where-to-change.md are followed: each listed file contains its chapter's example, and no other
/// file of the searched folders does.
package enum ChangeListRule {
  static let page = "docs/where-to-change.md"

  private struct Chapter {
    let line: Int
    let example: String
    let folders: [String]
    let listed: [String]
  }

  package static func findings(in page: SourceFile, _ files: [SourceFile]) -> [Finding] {
    let chapters = chapters(of: page)
    guard !chapters.isEmpty else { return [Finding(page, 1, "no chapter has an example")] }
    return chapters.flatMap { chapter in
      let example = chapter.example.lowercased()
      let searched = files.filter { file in file.language == .swift && chapter.folders.contains { file.isIn($0) } }
      let found = Set(searched.filter { $0.text.lowercased().has(example) }.map(\.path))
      let missing = found.subtracting(chapter.listed).sorted().map { "\($0) contains \(chapter.example), too" }
      let idle = chapter.listed.filter { !found.contains($0) }.map { "\($0) does not contain \(chapter.example)" }
      let empty = chapter.listed.isEmpty ? ["the list of \(chapter.example) is empty"] : []
      return (missing + idle + empty).map { Finding(page, chapter.line, $0) }
    }
  }

  /// A chapter with a line ``Example: `name` ``, the folders in the rest of that paragraph, and a numbered list.
  private static func chapters(of page: SourceFile) -> [Chapter] {
    page.lines.indices.compactMap { index in
      guard page.lines[index].hasPrefix("Example: `") else { return nil }
      let paragraph = page.lines[index...].prefix { !$0.isEmpty }
      let spans = paragraph.flatMap { ReferenceRule.codeSpans(in: $0) }
      let rest = page.lines[paragraph.endIndex...].prefix { !$0.hasPrefix("## ") }
      let listed = rest.compactMap { line in
        line.firstMatch(of: /^\d+\. `([^`]+)`/).map { String($0.output.1) }
      }
      guard let example = spans.first else { return nil }
      return Chapter(line: index + 1, example: example, folders: Array(spans.dropFirst()), listed: listed)
    }
  }
}
