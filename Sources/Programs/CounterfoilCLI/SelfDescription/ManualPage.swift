import PaymentPrimitives
import ServerConfiguration

/// A page of the manual, in the language of `man(7)`.
struct ManualPage: Sendable {
  private(set) var text: String

  /// - Parameters:
  ///   - name: the page's name, such as `counterfoil-serve`.
  ///   - day: the day of the build, if it is known.
  private init(_ name: String, section: Int = 1, day: String) {
    text = """
      .\\" Made by `counterfoil manual-page`; change the texts of the commands instead.
      .TH \(name.uppercased()) \(section) "\(day)" "Counterfoil \(Version.text)" "Counterfoil"

      """
  }

  /// The page of one command.
  static func of(_ command: DescribedCommand, program: String) -> ManualPage {
    let name = self.name(of: command.name, program: program)
    var page = ManualPage(name, day: BuildInformation.day)
    page.name("\(name) \\- ", purpose: command.summary)
    page.section("SYNOPSIS")
    for (number, way) in command.usage.synopsis.enumerated() {
      if number > 0 { page.line(".br") }
      page.synopsis(way)
    }
    page.section("DESCRIPTION")
    for block in command.usage.blocks { page.add(block) }
    page.section("OPTIONS")
    for option in command.options { page.option(option) }
    page.section("EXIT STATUS")
    page.paragraph(command.usage.exitCodes)
    page.section("SEE ALSO")
    page.line(".BR \(escaped(program)) (1)")
    return page
  }

  /// The page of the program: its commands, and what they all share.
  static func of(_ program: DescribedProgram) -> ManualPage {
    var page = ManualPage(program.name, day: BuildInformation.day)
    let purpose = program.title.hasPrefix(program.name + ": ") ? program.title.dropFirst(program.name.count + 2) : ""
    page.name("\(escaped(program.name)) \\- ", purpose: String(purpose))
    page.section("SYNOPSIS")
    page.synopsis("\(program.name) COMMAND [OPTIONS]")
    page.section("COMMANDS")
    for command in program.commands {
      page.line(".TP")
      page.line(".BR \(escaped(name(of: command.name, program: program.name))) (1)")
      page.sentence(command.summary)
    }
    page.section("ENVIRONMENT")
    for variable in environment { page.term(variable.name, variable.text) }
    page.section("EXIT STATUS")
    page.paragraph("0 done; 1 what was checked is not as it should be, or the work failed; 2 wrong usage.")
    page.section("SEE ALSO")
    for (number, other) in program.related.enumerated() {
      page.line(".BR \(escaped(other.name)) (\(other.section))\(number + 1 < program.related.count ? "," : "")")
    }
    return page
  }

  /// The page of the configuration file: every key that a server reads.
  static func ofConfiguration() -> ManualPage {
    var page = ManualPage(configurationName, section: 5, day: BuildInformation.day)
    page.name("\(escaped(configurationName)) \\- ", purpose: "the configuration of a Counterfoil server")
    page.section("DESCRIPTION")
    page.paragraph(
      "The file is TOML 1.0. A path is relative to its folder. A length of time is a text such as 30s or 7d.")
    page.paragraph("A secret never stands in the file: { file = ... }, { credential = ... } or { environment = ... }.")
    page.paragraph("SIGHUP makes a running server read the file again. Each key says whether it needs a restart.")
    page.section("KEYS")
    for key in ConfigurationReference.keys {
      page.term(key.anchor, key.meaning[.english])
      for fact in key.facts {
        page.line(".br")
        page.sentence("\(fact.title[.english]): \(fact.text[.english]).")
      }
    }
    page.section("SEE ALSO")
    page.line(".BR counterfoil (1)")
    return page
  }

  static let configurationName = "counterfoil.toml"

  /// `counterfoil-config-check` is the page of `counterfoil config check`.
  static func name(of command: String, program: String) -> String {
    program + "-" + command.split(separator: " ").joined(separator: "-")
  }

  private static let environment: [(name: String, text: String)] = [
    ("COUNTERFOIL_CONFIG", "The path of the configuration, where --config is not given."),
    ("COUNTERFOIL_LOG", "debug, info or quiet: how much the server writes to its log."),
    ("COUNTERFOIL_OPERATOR_KEY", "The operator's key for --server."),
    ("LC_ALL, LC_MESSAGES, LANG", "The language of messages: Chinese if the first that is set begins with zh."),
    ("NOTIFY_SOCKET, WATCHDOG_USEC", "Set by a service manager, which the server then tells what it does."),
    (
      "LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES",
      "Set by a service manager that opens the sockets. The server listens on the one with the name api."
    ),
  ]

  // MARK: The language of man(7)

  private mutating func line(_ line: String) { text += line + "\n" }

  private mutating func section(_ title: String) { line(".SH \"\(title)\"") }

  private mutating func name(_ prefix: String, purpose: String) {
    section("NAME")
    line(prefix + Self.escaped(purpose))
  }

  private mutating func paragraph(_ words: String) {
    line(".PP")
    sentence(words)
  }

  private mutating func sentence(_ words: String) { line(Self.escaped(words)) }

  private mutating func term(_ term: String, _ words: String) {
    line(".TP")
    line(".B \"\(Self.escaped(term))\"")
    sentence(words)
  }

  private mutating func option(_ option: DescribedCommand.Option) {
    line(".TP")
    let name = Self.escaped("--" + option.name)
    line(option.value.map { ".BI \"\(name) \" \"\(Self.escaped($0))\"" } ?? ".B \"\(name)\"")
    sentence(option.text)
  }

  private mutating func synopsis(_ way: String) {
    line(".B \"\(Self.escaped(way.split(separator: " ").first.map(String.init) ?? ""))\"")
    sentence(way.split(separator: " ").dropFirst().joined(separator: " "))
  }

  private mutating func add(_ block: UsageText.Block) {
    switch block {
    case .paragraph(let words): paragraph(words)
    case .literal(let lines):
      line(".PP")
      line(".nf")
      for words in lines { sentence(words) }
      line(".fi")
    case .rows(let rows):
      // Options have a section of their own.
      for row in rows where row.option == nil { term(row.word, row.text) }
    }
  }

  /// Text in which nothing is a command of the formatter. A hyphen is a minus, so that options can be copied.
  static func escaped(_ words: String) -> String {
    var result = ""
    for letter in words {
      switch letter {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "\"": result += "\\(dq"
      case "…": result += "..."
      case "“", "”": result += "\\(dq"
      case "’": result += "'"
      default: result.append(letter)
      }
    }
    return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
  }
}
