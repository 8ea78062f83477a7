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
  /// The options for people, those with an explanation of their own first.
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
    let others = Self.shared.filter { option in
      command.options.accepts(option.name) && !explained.contains { $0.name == option.name }
    }
    options = (explained + others).reduce(into: []) { found, option in
      if !found.contains(where: { $0.name == option.name }) { found.append(option) }
    }
    subjects = Self.subjects(of: command.words.count, in: usage)
    takesFiles = usage.synopsis.contains { way in
      Self.operands(in: way).contains { ["FILE", "FILE...", "BACKUP", "DIR"].contains($0) }
    }
  }

  /// Options that need no row in the command's text, because many commands accept them. Any other option without a row
  /// is for the program's own processes.
  static let shared = [
    Option(name: "help", value: nil, text: "print how the command is used"),
    Option(name: "json", value: nil, text: "print JSON, where the command prints data"),
    Option(name: "config", value: "FILE", text: "the server's configuration"),
    Option(name: "data", value: "DIR", text: "the folder of `counterfoil-lab run`, where no configuration is found"),
    Option(name: "address", value: "IP", text: "overrules the address of the configuration"),
    Option(name: "port", value: "N", text: "overrules the port of the configuration"),
    Option(name: "database", value: "FILE", text: "overrules the database of the configuration"),
  ]

  /// The lower-case words that follow the command's name in a way to call it.
  private static func subjects(of nameCount: Int, in usage: UsageText) -> [String] {
    let words = usage.synopsis.flatMap { way in
      way.split(separator: " ").dropFirst(1 + nameCount).prefix(1).flatMap { $0.split(separator: "|") }.map(String.init)
    }
    return words.reduce(into: []) { found, word in
      let isSubject = word.first?.isLowercase == true && word.allSatisfy { $0.isLowercase || $0 == "-" }
      if isSubject, !found.contains(word) { found.append(word) }
    }
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
