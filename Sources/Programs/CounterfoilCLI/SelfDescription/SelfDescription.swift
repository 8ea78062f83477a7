import PaymentPrimitives

/// The commands by which a program describes itself: to `man` and to shells. Packages are built with them.
enum SelfDescription {
  /// - Parameter described: the program with these commands, too.
  static func commands(of name: String, _ described: @escaping @Sendable () -> DescribedProgram) -> [Command] {
    [completions(name, described), manualPage(name, described)]
  }

  private static func completions(
    _ program: String, _ described: @escaping @Sendable () -> DescribedProgram
  ) -> Command {
    .of(
      "completions", BilingualText("print a script for a shell's completion", "输出 shell 自动补全脚本"),
      usage: """
        usage: \(program) completions bash|zsh|fish

        Prints a script with which the shell completes commands and options. A package installs it by itself. By hand:

          source <(\(program) completions bash)

        Exit codes: 0 printed, 2 wrong usage.

        """,
      wordsMax: 1, program: program
    ) { options, platform in
      guard let shell = options.words.first.flatMap(Completions.Shell.init) else {
        throw UsageError("one of bash, zsh and fish is needed.")
      }
      platform.print(Completions.script(for: shell, described()))
      return ExitCode.done
    }
  }

  private static func manualPage(
    _ program: String, _ described: @escaping @Sendable () -> DescribedProgram
  ) -> Command {
    .of(
      "manual-page", BilingualText("print a page of the manual for man", "输出供 man 使用的手册页"),
      usage: """
        usage: \(program) manual-page [COMMAND]
               \(program) manual-page --list

        Prints the manual page of the program, or of one of its commands, in the language of man(7). A package installs
        all of them. To read one:

          \(program) manual-page | man --local-file -

        COMMAND is the name of a command; of two words, such as `config check`, give both. With `file` it is the page of
        the configuration file, where the program has one.

          --list              the names of all pages, each with its command

        Exit codes: 0 printed, 2 wrong usage or no such command.

        """,
      flags: ["list"], wordsMax: 2, program: program
    ) { options, platform in
      let described = described()
      if options.has("list") {
        guard options.words.isEmpty else { throw UsageError("--list takes no command.") }
        let pages = described.commands.map { "\(ManualPage.name(of: $0.name, program: program)).1 \($0.name)\n" }
        let files = described.describesConfiguration ? ["\(ManualPage.configurationName).5 file\n"] : []
        platform.print((["\(program).1\n"] + pages + files).joined())
        return ExitCode.done
      }
      guard !options.words.isEmpty else {
        platform.print(ManualPage.of(described).text)
        return ExitCode.done
      }
      let name = options.words.joined(separator: " ")
      if name == "file", described.describesConfiguration {
        platform.print(ManualPage.ofConfiguration().text)
        return ExitCode.done
      }
      guard let command = described.commands.first(where: { $0.name == name }) else {
        throw UsageError("there is no command \(name).")
      }
      platform.print(ManualPage.of(command, program: program).text)
      return ExitCode.done
    }
  }
}
