import PaymentPrimitives

/// A command as its manual page and its completions show it.
struct DescribedCommand: Sendable {
  /// What a value or a word is, for completions.
  enum Kind: Hashable, Sendable {
    case file
    case folder
    /// One of these words.
    case choice([String])
    case text
  }

  struct Option: Hashable, Sendable {
    let name: String
    /// The placeholder of its value; nil for a flag.
    let value: String?
    let text: String

    /// What its value is; nil for a flag.
    var kind: Kind? { value.map { DescribedCommand.kind(of: $0) } }
  }

  let name: String
  let summary: String
  let usage: UsageText
  /// All options that the command accepts, those with an explanation first.
  let options: [Option]
  /// What may follow the name: `create`, `list` and `revoke` of `keys`.
  let subjects: [String]
  /// Whether a word of the command names a file or a folder.
  let takesFiles: Bool

  /// - Parameter language: of the one line that sums it up; the rest is in English only.
  init(_ command: Command, in language: Language) {
    name = command.name
    summary = command.summary[language]
    let usage = UsageText(command.usage, valued: command.options.valued)
    self.usage = usage
    let rows = usage.rows.filter { row in row.option.map { command.options.accepts($0) } == true }
    let explained = rows.map { Option(name: $0.option ?? "", value: $0.value, text: $0.text) }
    let others = (command.options.valued + command.options.flags + ["help", "json"]).filter { name in
      !explained.contains { $0.name == name }
    }
    options = (explained + others.map { Self.unexplained($0, command) }).reduce(into: []) { found, option in
      if !found.contains(where: { $0.name == option.name }) { found.append(option) }
    }
    subjects = Self.subjects(of: command.words.count, in: usage)
    takesFiles = usage.synopsis.contains { way in
      Self.operands(in: way).contains { ["FILE", "FILE...", "BACKUP", "DIR"].contains($0) }
    }
  }

  /// Options that have no row in the command's text, because many commands accept them.
  private static func unexplained(_ name: String, _ command: Command) -> Option {
    let text =
      switch name {
      case "help": "print how the command is used"
      case "json": "print JSON, where the command prints data"
      case "config": "the server's configuration"
      case "data": "the folder of `counterfoil-lab run`, where no configuration is found"
      default: "overrules `\(name)` of the configuration"
      }
    return Option(
      name: name, value: command.options.valued.contains(name) ? placeholders[name] ?? "VALUE" : nil, text: text)
  }

  private static let placeholders = ["config": "FILE", "data": "DIR", "database": "FILE", "port": "N", "address": "IP"]

  /// The lower-case words that follow the command's name in a way to call it.
  private static func subjects(of nameCount: Int, in usage: UsageText) -> [String] {
    var found: [String] = []
    for way in usage.synopsis {
      let words = way.split(separator: " ").dropFirst(1 + nameCount)
      guard let word = words.first.map(String.init), word.allSatisfy({ $0.isLowercase || $0 == "-" }),
        word.first != "-", !found.contains(word)
      else { continue }
      found.append(word)
    }
    return found
  }

  /// The words of a way that stand for no option and no value of one.
  private static func operands(in way: String) -> [String] {
    var found: [String] = []
    var isValue = false
    for word in way.split(separator: " ") {
      let isOption = word.hasPrefix("--") || word.hasPrefix("[--")
      if !isOption, !isValue { found.append(String(word)) }
      // The value of `[--data DIR]` ends the brackets; a flag `[--json]` has none.
      isValue = isOption && !word.hasSuffix("]")
    }
    return found
  }

  fileprivate static func kind(of value: String) -> Kind {
    let words = value.split(separator: "|").map(String.init)
    if words.count > 1, words.allSatisfy({ $0.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" } }) {
      return .choice(words)
    }
    return value == "FILE" ? .file : value == "DIR" ? .folder : .text
  }
}
