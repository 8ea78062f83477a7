import PaymentPrimitives

/// The program: finds the named command and runs it.
package enum CounterfoilProgram {
  /// Runs the program with the arguments after its own name.
  ///
  /// - Returns: the exit code.
  package static func run(arguments: [String], doors: Platform) async -> Int32 {
    guard let name = arguments.first, name != "--help", name != "-h" else {
      doors.print(help(in: language(doors)))
      return arguments.isEmpty ? ExitCode.usage : ExitCode.done
    }
    // `help` and `help serve verify` print the same as `--help` and `serve --help`.
    if name == "help" {
      return await run(arguments: Array(arguments.dropFirst().prefix(2)) + ["--help"], doors: doors)
    }
    if name == "--version" { return await run(arguments: ["version"], doors: doors) }
    guard let command = Commands.all.first(where: { $0.name == name }) else {
      let nearest = Commands.all.map(\.name).min {
        EditDistance.between($0, name) < EditDistance.between($1, name)
      }
      let hint = nearest.map { EditDistance.between($0, name) <= 3 ? " Is \($0) meant?" : "" } ?? ""
      let words = BilingualText(
        "counterfoil: there is no command \(name).\(hint) `counterfoil --help` lists them.\n",
        "counterfoil：没有命令 \(name)。\(hint) `counterfoil --help` 列出所有命令。\n")
      doors.printError(words[language(doors)])
      return ExitCode.usage
    }
    return await command.run(Array(arguments.dropFirst()), doors)
  }

  /// The language of the terminal user, by `LC_ALL`, `LC_MESSAGES` or `LANG`.
  static func language(_ doors: Platform) -> Language {
    let words = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { doors.environment($0) }
    return words.first { !$0.isEmpty }?.hasPrefix("zh") == true ? .chinese : .english
  }

  private static func help(in language: Language) -> String {
    let title = BilingualText(
      "counterfoil: whatever was paid is delivered exactly once, to the one who ordered it.",
      "counterfoil：已付款的，恰好发货一次，且只发给下单的人。")
    let usage = BilingualText(
      "usage: counterfoil COMMAND [OPTIONS]; `counterfoil COMMAND --help` says more.",
      "用法：counterfoil 命令 [选项]；`counterfoil 命令 --help` 查看详情。")
    let width = Commands.all.map(\.name.count).max() ?? 0
    let lines = Commands.all.map { command in
      let padding = String(repeating: " ", count: width - command.name.count + 2)
      return "  " + command.name + padding + command.summary[language]
    }
    return ([title[language], "", usage[language], ""] + lines).joined(separator: "\n") + "\n"
  }
}

extension Command {
  /// Creates a command from throwing work: usage errors and failures become messages and exit codes.
  static func of(
    _ name: String, _ summary: BilingualText, usage: String, valued: [String] = [],
    flags: [String] = [], wordsMax: Int = 0,
    work: @escaping @Sendable (_ options: Options, _ doors: Platform) async throws -> Int32
  ) -> Command {
    Command(name, summary, usage: usage) { arguments, doors in
      do {
        let options = try Options(arguments, valued: valued, flags: flags)
        if options.has("help") {
          doors.print(usage)
          return ExitCode.done
        }
        if options.words.count > wordsMax { throw UsageError("\(options.words[wordsMax]) is not understood.") }
        return try await work(options, doors)
      } catch let error as UsageError {
        doors.printError("counterfoil \(name): \(error.message)\n\n\(usage)")
        return ExitCode.usage
      } catch let failure as CommandFailure {
        doors.printError("counterfoil \(name): \(failure.message)\n")
        return failure.code
      } catch let refusal as any SpokenRefusal {
        doors.printError("counterfoil \(name): \(refusal.words(CounterfoilProgram.language(doors)))\n")
        return ExitCode.failed
      } catch {
        doors.printError("counterfoil \(name): \(error)\n")
        return ExitCode.failed
      }
    }
  }
}

/// An error of any part of the system, as text for a terminal.
protocol SpokenRefusal: Error {
  /// The error, its details, the remedy, and the stable code to search for.
  func words(_ language: Language) -> String
}

extension CodedError: SpokenRefusal {
  func words(_ language: Language) -> String {
    [code.meaning[language], details, code.remedy[language], "(\(code.rawValue))"]
      .filter { !$0.isEmpty }.joined(separator: " ")
  }
}
