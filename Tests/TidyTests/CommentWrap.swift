/// Wraps paragraphs of comments that have a line which is too long; `swift format` leaves comments alone. `make format`
/// runs it over the tree.
enum CommentWrap {
  /// The text with such paragraphs wrapped; the same text when there are none.
  static func wrapped(_ text: String, at width: Int = LengthRule.lineCharactersMax) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var output: [String] = []
    var index = 0
    while index < lines.count {
      let paragraph = paragraph(lines, from: index)
      let longest = lines[index..<index + max(paragraph.count, 1)].map(\.count).max() ?? 0
      output += paragraph.isEmpty || longest <= width ? [lines[index]] : wrap(paragraph, at: width)
      index += paragraph.isEmpty || longest <= width ? 1 : paragraph.count
    }
    return output.joined(separator: "\n")
  }

  /// A line of a comment: what stands before the words, and the words.
  private struct Line {
    /// Indentation and slashes.
    let mark: String
    /// The spaces between slashes and words.
    let gap: String
    let words: String

    init?(_ line: String) {
      let indentation = line.prefix { $0 == " " }
      let slashes = line.dropFirst(indentation.count).prefix { $0 == "/" }
      guard slashes.count == 2 || slashes.count == 3 else { return nil }
      let rest = line.dropFirst(indentation.count + slashes.count)
      let gap = rest.prefix { $0 == " " }
      guard !gap.isEmpty, gap.count < rest.count else { return nil }
      mark = String(indentation + slashes)
      self.gap = String(gap)
      words = String(rest.dropFirst(gap.count))
    }

    /// Whether it begins a paragraph wherever it stands: an item of a list, a row of a table, a heading.
    var beginsParagraph: Bool {
      ["- ", "* ", "|", "#", "```", "MARK:"].contains { words.hasPrefix($0) }
    }

    /// Whether it keeps its line breaks.
    var isFixed: Bool { ["|", "#", "```", "MARK:", "swift-tools-version"].contains { words.hasPrefix($0) } }
  }

  /// The lines that belong together from there on; none when that line is no comment, or keeps its breaks.
  private static func paragraph(_ lines: [String], from start: Int) -> [Line] {
    guard let first = Line(lines[start]), !first.isFixed else { return [] }
    var paragraph = [first]
    for text in lines[(start + 1)...] {
      guard let line = Line(text), line.mark == first.mark, !line.beginsParagraph else { break }
      paragraph.append(line)
    }
    return paragraph
  }

  private static func wrap(_ paragraph: [Line], at width: Int) -> [String] {
    let first = paragraph[0]
    let isItem = first.words.hasPrefix("- ") || first.words.hasPrefix("* ")
    let gap = paragraph.count > 1 ? paragraph[1].gap : first.gap + (isItem ? "  " : "")
    var output: [String] = []
    var line = first.mark + first.gap
    var isEmpty = true
    for word in paragraph.flatMap({ $0.words.split(separator: " ") }) {
      if !isEmpty, line.count + 1 + word.count > width {
        output.append(line)
        line = first.mark + gap
        isEmpty = true
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    return output + [line]
  }
}
