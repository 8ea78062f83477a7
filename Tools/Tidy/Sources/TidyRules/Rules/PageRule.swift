/// What holds for pages.
package enum PageRule {
  package static func findings(in file: SourceFile) -> [Finding] {
    guard file.language == .markdown else { return [] }
    let titles = headings(in: file).filter { $0.level == 1 }
    guard titles.count != 1 else { return [] }
    return [Finding(file, titles.dropFirst().first?.line ?? 1, "\(titles.count) titles; a page has exactly one")]
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
}
