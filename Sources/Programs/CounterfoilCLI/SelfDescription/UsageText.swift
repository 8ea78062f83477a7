/// The parts of a command's `--help`, from which its manual page and its completions are made.
///
/// The text has this form: lines of use, then paragraphs and rows, then the exit codes. A row begins with two spaces
/// and a word; its text begins after at least two spaces more, or for an option after its value.
struct UsageText: Sendable {
  /// A row: an option with its value, or another word, and what it means.
  struct Row: Hashable, Sendable {
    var word: String
    /// The placeholder of an option's value, such as `FILE`; nil without one.
    var value: String?
    var text: String

    /// The name of an option, without its dashes; nil for another word.
    var option: String? { word.hasPrefix("--") ? String(word.dropFirst(2)) : nil }
  }

  enum Block: Hashable, Sendable {
    case paragraph(String)
    case rows([Row])
    /// Lines that are shown as they are.
    case literal([String])
  }

  /// The ways to call the command, without `usage: `.
  let synopsis: [String]
  let blocks: [Block]
  /// Each exit code with its meaning, as one text.
  let exitCodes: String

  var rows: [Row] {
    blocks.flatMap { block -> [Row] in
      guard case .rows(let rows) = block else { return [] }
      return rows
    }
  }

  /// - Parameter valued: the options that take a value.
  init(_ text: String, valued: [String]) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var parts = lines.split { $0.isEmpty }.map(Array.init)
    let first = parts.isEmpty ? [] : parts.removeFirst()
    synopsis = Self.synopsis(first)
    var blocks: [Block] = []
    var codes = ""
    for part in parts {
      if part[0].hasPrefix("Exit codes: ") {
        codes = String(Self.joined(part).dropFirst("Exit codes: ".count))
      } else {
        blocks.append(Self.block(part, valued: valued))
      }
    }
    self.blocks = blocks
    exitCodes = codes
  }

  /// A line that begins with the program's name is a further way; others continue the one before.
  private static func synopsis(_ lines: [String]) -> [String] {
    var ways: [String] = []
    for line in lines {
      let words = trimmed(line.hasPrefix("usage: ") ? String(line.dropFirst("usage: ".count)) : line)
      if words.hasPrefix("counterfoil") || ways.isEmpty {
        ways.append(words)
      } else {
        ways[ways.count - 1] += " " + words
      }
    }
    return ways
  }

  private static func block(_ lines: [String], valued: [String]) -> Block {
    guard lines[0].hasPrefix("  ") else { return .paragraph(joined(lines)) }
    var rows: [Row] = []
    for line in lines {
      let indentation = line.prefix { $0 == " " }.count
      if indentation > 2, !rows.isEmpty {
        let text = trimmed(line)
        rows[rows.count - 1].text += (rows[rows.count - 1].text.isEmpty ? "" : " ") + text
      } else if let row = row(trimmed(line), valued: valued) {
        rows.append(row)
      } else {
        return .literal(lines.map { String($0.dropFirst(2)) })
      }
    }
    return .rows(rows)
  }

  private static func row(_ line: String, valued: [String]) -> Row? {
    let word = String(line.prefix { $0 != " " })
    var rest = String(line.dropFirst(word.count))
    guard word.hasPrefix("--") else {
      guard rest.hasPrefix("  ") else { return nil }
      return Row(word: word, value: nil, text: trimmed(rest))
    }
    guard valued.contains(String(word.dropFirst(2))), !rest.isEmpty else {
      return Row(word: word, value: nil, text: trimmed(rest))
    }
    rest = trimmed(rest)
    let value = String(rest.prefix { $0 != " " })
    return Row(word: word, value: value, text: trimmed(String(rest.dropFirst(value.count))))
  }

  private static func joined(_ lines: [String]) -> String { lines.map(trimmed).joined(separator: " ") }

  private static func trimmed(_ line: String) -> String {
    String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
