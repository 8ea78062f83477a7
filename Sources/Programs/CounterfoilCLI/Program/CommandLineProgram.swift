package import PaymentPrimitives

/// A program of commands: it finds the command that is meant and runs it.
package struct CommandLineProgram: Sendable {
  private let name: String
  private let title: BilingualText
  /// All commands, with those by which the program describes itself.
  package let commands: [Command]

  /// - Parameter title: the first line of `--help`.
  package init(name: String, title: BilingualText, commands: [Command]) {
    self.name = name
    self.title = title
    self.commands =
      commands
      + SelfDescription.commands(of: name) {
        CommandLineProgram(name: name, title: title, commands: commands).described
      }
  }

  /// `counterfoil`: the server and what its operators need.
  package static let counterfoil = CommandLineProgram(
    name: "counterfoil",
    title: BilingualText(
      "counterfoil: whatever was paid is delivered exactly once, to the one who ordered it.",
      "counterfoil：已付款的，恰好发货一次，且只发给下单的人。"), commands: Commands.all)

  /// The program as its manual page and its completions show it.
  private var described: DescribedProgram { DescribedProgram(name: name, title: title, commands: commands) }

  /// Runs the program on what follows its own name.
  ///
  /// - Returns: the exit code.
  package func run(arguments: [String], platform: Platform) async -> Int32 {
    let language = Self.language(platform)
    guard let wanted = arguments.first, wanted != "--help", wanted != "-h" else {
      platform.print(help(in: language))
      return arguments.isEmpty ? ExitCode.usage : ExitCode.done
    }
    // `help` and `help serve verify`: what `--help` and `serve --help` say.
    if wanted == "help" {
      return await run(arguments: Array(arguments.dropFirst().prefix(3)) + ["--help"], platform: platform)
    }
    if wanted == "--version" { return await run(arguments: ["version"], platform: platform) }
    guard let command = commands.first(where: { arguments.starts(with: $0.words) }) else {
      platform.printError(unknown(wanted)[language])
      return ExitCode.usage
    }
    return await command.run(Array(arguments.dropFirst(command.words.count)), platform)
  }

  /// The commands that had other names in earlier versions.
  private static let renamed = [
    "world": "counterfoil-lab simulate", "bench": "counterfoil-lab bench", "demo": "counterfoil-lab demo",
    "trigger": "counterfoil-lab trigger", "simulator": "counterfoil-lab simulator",
    "observed": "counterfoil observe report", "forwards": "counterfoil notifications forwarded",
    "config": "counterfoil config check",
  ]

  private func unknown(_ wanted: String) -> BilingualText {
    if name == "counterfoil", let now = Self.renamed[wanted] {
      return BilingualText(
        "counterfoil: the command \(wanted) is now `\(now)`.\n", "counterfoil：命令 \(wanted) 现为 `\(now)`。\n")
    }
    let nearest = commands.map(\.name).min {
      EditDistance.between($0, wanted) < EditDistance.between($1, wanted)
    }
    let hint = nearest.map { EditDistance.between($0, wanted) <= 3 ? " Is \($0) meant?" : "" } ?? ""
    return BilingualText(
      "\(name): there is no command \(wanted).\(hint) `\(name) --help` lists them.\n",
      "\(name)：没有命令 \(wanted)。\(hint) `\(name) --help` 列出所有命令。\n")
  }

  /// The language of the person at the terminal, by `LC_ALL`, `LC_MESSAGES` or `LANG`.
  package static func language(_ platform: Platform) -> Language {
    let words = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { platform.environment($0) }
    return words.first { !$0.isEmpty }?.hasPrefix("zh") == true ? .chinese : .english
  }

  private func help(in language: Language) -> String {
    let usage = BilingualText(
      "usage: \(name) COMMAND [OPTIONS]; `\(name) COMMAND --help` says more.",
      "用法：\(name) 命令 [选项]；`\(name) 命令 --help` 查看详情。")
    let width = commands.map(\.name.count).max() ?? 0
    let lines = commands.map { command in
      let padding = String(repeating: " ", count: width - command.name.count + 2)
      return "  " + command.name + padding + command.summary[language]
    }
    return ([title[language], "", usage[language], ""] + lines).joined(separator: "\n") + "\n"
  }
}
