import PaymentPrimitives

/// A program as its manual page and its completions show it.
struct DescribedProgram: Sendable {
  let name: String
  let title: String
  let commands: [DescribedCommand]

  init(name: String, title: BilingualText, commands: [Command], in language: Language = .english) {
    self.name = name
    self.title = title[language]
    self.commands = commands.flatMap { [$0] + $0.parts }.map { DescribedCommand($0, in: language) }
  }

  /// Whether the page of the configuration file is one of its pages.
  var describesConfiguration: Bool { name == "counterfoil" }

  /// The pages that its page points to.
  var related: [(name: String, section: Int)] {
    describesConfiguration ? [(ManualPage.configurationName, 5), ("systemd.service", 5)] : [("counterfoil", 1)]
  }

  /// What may follow after `path`, the words given so far: words of two-word commands, and subjects of one.
  func words(after path: [String]) -> [String] {
    guard let first = path.first else { return unique(commands.compactMap { $0.words.first } + ["help"]) }
    guard path.count == 1 else { return [] }
    if first == "help" { return unique(commands.compactMap { $0.words.first }) }
    let second = commands.filter { $0.words.count > 1 && $0.words[0] == first }.map { $0.words[1] }
    return unique(second + (commands.first { $0.name == first }?.subjects ?? []))
  }

  private func unique(_ words: [String]) -> [String] {
    words.reduce(into: []) { found, word in if !found.contains(word) { found.append(word) } }
  }
}

extension DescribedCommand {
  var words: [String] { name.split(separator: " ").map(String.init) }
}
