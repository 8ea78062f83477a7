import PaymentVocabulary

/// The program: finds the command that is meant and runs it.
public enum CounterfoilProgram {
  /// Runs the program on what follows its own name.
  ///
  /// - Returns: the exit code.
  public static func run(arguments: [String], doors: Doors) async -> Int32 {
    guard let name = arguments.first, name != "--help", name != "help" else {
      doors.print(help(in: language(doors)))
      return arguments.isEmpty ? ExitCode.usage : ExitCode.done
    }
    if name == "--version" { return await run(arguments: ["version"], doors: doors) }
    guard let command = Commands.all.first(where: { $0.name == name }) else {
      let nearest = Commands.all.map(\.name).min {
        EditDistance.between($0, name) < EditDistance.between($1, name)
      }
      let hint = nearest.map { EditDistance.between($0, name) <= 3 ? " Is \($0) meant?" : "" } ?? ""
      doors.printError("counterfoil: there is no command \(name).\(hint) `counterfoil --help` lists them.\n")
      return ExitCode.usage
    }
    return await command.run(Array(arguments.dropFirst()), doors)
  }

  /// The language of the person at the terminal, by `LC_ALL`, `LC_MESSAGES` or `LANG`.
  static func language(_ doors: Doors) -> Language {
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
  /// A command whose work throws: usage errors and failures become messages and exit codes.
  static func of(
    _ name: String, _ summary: BilingualText, usage: String, valued: [String] = [],
    flags: [String] = [], work: @escaping @Sendable (_ options: Options, _ doors: Doors) async throws -> Int32
  ) -> Command {
    Command(name, summary, usage: usage) { arguments, doors in
      do {
        let options = try Options(arguments, valued: valued, flags: flags)
        if options.has("help") {
          doors.print(usage)
          return ExitCode.done
        }
        return try await work(options, doors)
      } catch let error as UsageError {
        doors.printError("counterfoil \(name): \(error.message)\n\n\(usage)")
        return ExitCode.usage
      } catch let failure as CommandFailure {
        doors.printError("counterfoil \(name): \(failure.message)\n")
        return failure.code
      } catch {
        doors.printError("counterfoil \(name): \(error)\n")
        return ExitCode.failed
      }
    }
  }
}
