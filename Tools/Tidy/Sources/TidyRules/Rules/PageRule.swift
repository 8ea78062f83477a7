/// What holds for pages.
package enum PageRule {
  package static func findings(in file: SourceFile) -> [Finding] {
    guard file.language == .markdown else { return [] }
    let titles = headings(in: file).filter { $0.level == 1 }
    guard titles.count != 1 else { return [] }
    return [Finding(file, titles.dropFirst().first?.line ?? 1, "\(titles.count) titles; a page has exactly one")]
  }

  /// Two pages that are one page in two languages have the same headings, level by level, and the same code.
  package static func differences(_ first: SourceFile, _ second: SourceFile) -> [String] {
    var differences: [String] = []
    let levels = (headings(in: first).map(\.level), headings(in: second).map(\.level))
    if levels.0 != levels.1 {
      differences.append("\(first.path) has headings of levels \(levels.0), \(second.path) of \(levels.1)")
    }
    let blocks = (codeBlocks(in: first), codeBlocks(in: second))
    if blocks.0.count != blocks.1.count {
      differences.append("\(first.path) has \(blocks.0.count) code blocks, \(second.path) \(blocks.1.count)")
    }
    for (index, (a, b)) in zip(blocks.0, blocks.1).enumerated() where commands(a) != commands(b) {
      differences.append("code block \(index + 1) of \(first.path) and \(second.path) runs different commands")
    }
    return differences
  }

  struct Heading: Equatable {
    let level: Int
    let text: String
    let line: Int
  }

  static func headings(in file: SourceFile) -> [Heading] {
    prose(of: file).compactMap { number, line in
      let level = line.prefix { $0 == "#" }.count
      guard (1...6).contains(level), line.dropFirst(level).first == " " else { return nil }
      return Heading(level: level, text: String(line.dropFirst(level + 1)), line: number)
    }
  }

  /// The numbered lines outside of code blocks.
  static func prose(of file: SourceFile) -> [(number: Int, line: String)] {
    var isInCode = false
    return file.lines.enumerated().compactMap { index, line in
      if line.drop(while: { $0 == " " }).hasPrefix("```") {
        isInCode.toggle()
        return nil
      }
      return isInCode ? nil : (index + 1, line)
    }
  }

  private static func codeBlocks(in file: SourceFile) -> [[String]] {
    var blocks: [[String]] = []
    var isInCode = false
    for line in file.lines {
      if line.drop(while: { $0 == " " }).hasPrefix("```") {
        if !isInCode { blocks.append([]) }
        isInCode.toggle()
      } else if isInCode {
        blocks[blocks.count - 1].append(line)
      }
    }
    return blocks
  }

  /// The commands of a block: comments and shown output may be in the page's language.
  private static func commands(_ block: [String]) -> [String] {
    block.filter {
      $0.hasPrefix("$ ") || $0.hasPrefix("make ") || $0.hasPrefix("swift ") || $0.hasPrefix("counterfoil ")
    }
    .map { $0.prefix { $0 != "#" }.split(separator: " ").joined(separator: " ") }
  }
}
