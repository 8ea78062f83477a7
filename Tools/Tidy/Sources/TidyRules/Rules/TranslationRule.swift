/// Two pages that are one page in two languages have the same headings, the same anchors and the same code.
///
/// A page `x.zh-CN.md` is the page `x.md` in Chinese. An anchor is made from the English heading; the Chinese page
/// repeats it before its own heading, as `<a id="…"></a>`. So a link needs no other anchor in the other language.
package enum TranslationRule {
  static let ending = ".zh-CN.md"

  /// The pairs of pages, English first.
  package static func pairs(among pages: [SourceFile]) -> [(english: SourceFile, chinese: SourceFile)] {
    pages.filter { $0.path.hasSuffix(ending) }.compactMap { chinese in
      let path = chinese.path.dropLast(ending.count) + ".md"
      return pages.first { $0.path == path }.map { ($0, chinese) }
    }
  }

  package static func findings(among pages: [SourceFile]) -> [Finding] {
    pairs(among: pages).flatMap { pair in
      differences(pair.english, pair.chinese).map { Finding(pair.chinese, 1, $0) }
    }
  }

  package static func differences(_ first: SourceFile, _ second: SourceFile) -> [String] {
    var differences: [String] = []
    let headings = (PageRule.headings(in: first), PageRule.headings(in: second))
    let levels = (headings.0.map(\.level), headings.1.map(\.level))
    if levels.0 != levels.1 {
      differences.append("\(first.path) has headings of levels \(levels.0), \(second.path) of \(levels.1)")
    } else {
      differences += missingAnchors(of: headings.0, at: headings.1, in: second)
    }
    let blocks = (codeBlocks(in: first), codeBlocks(in: second))
    if blocks.0.count != blocks.1.count {
      differences.append("\(first.path) has \(blocks.0.count) code blocks, \(second.path) \(blocks.1.count)")
    }
    for (index, (a, b)) in zip(blocks.0, blocks.1).enumerated() where a.compared != b.compared {
      differences.append("code block \(index + 1) of \(first.path) and \(second.path) differs")
    }
    return differences
  }

  private static func missingAnchors(
    of headings: [PageRule.Heading], at others: [PageRule.Heading], in page: SourceFile
  ) -> [String] {
    var previous = 0
    return zip(headings, others).compactMap { heading, other in
      defer { previous = other.line }
      let anchor = AnchorRule.anchor(of: heading)
      let given = page.lines[previous..<other.line].flatMap { AnchorRule.explicitAnchors(in: $0) }
      guard heading.level > 1, AnchorRule.anchor(of: other) != anchor, !given.contains(anchor) else { return nil }
      return "line \(other.line) of \(page.path) lacks the anchor \(anchor) before its heading"
    }
  }

  private struct CodeBlock {
    let language: String
    var lines: [String] = []

    /// Code and data without comments; of shown output the commands alone, for both may be in the page's language.
    var compared: [String] {
      switch language {
      case "", "text": return [language] + lines.filter(Self.isCommand)
      case "sh", "toml": return [language] + lines.map { Self.without("#", $0) }
      default: return [language] + lines.map { Self.without("//", $0) }
      }
    }

    private static func isCommand(_ line: String) -> Bool {
      ["$ ", "make ", "swift ", "counterfoil ", "counterfoil-lab "].contains { line.hasPrefix($0) }
    }

    private static func without(_ mark: String, _ line: String) -> String {
      let code =
        line.hasPrefix(mark) ? "" : line.ranges(of: " " + mark).first.map { line[..<$0.lowerBound] } ?? line[...]
      return code.split(separator: " ").joined(separator: " ")
    }
  }

  private static func codeBlocks(in file: SourceFile) -> [CodeBlock] {
    var blocks: [CodeBlock] = []
    var isInCode = false
    for line in file.lines {
      let text = line.drop { $0 == " " }
      if text.hasPrefix("```") {
        if !isInCode { blocks.append(CodeBlock(language: String(text.dropFirst(3)))) }
        isInCode.toggle()
      } else if isInCode {
        blocks[blocks.count - 1].lines.append(line)
      }
    }
    return blocks
  }
}
