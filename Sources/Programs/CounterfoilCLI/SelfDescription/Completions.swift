/// Scripts that let a shell complete the commands and options of a program.
enum Completions {
  enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  static func script(for shell: Shell, _ program: DescribedProgram) -> String {
    switch shell {
    case .bash: bash(program)
    case .zsh: zsh(program)
    case .fish: fish(program)
    }
  }

  /// The name of the shell function: letters, digits and `_`.
  static func function(_ program: DescribedProgram) -> String {
    "_" + program.name.map { $0 == "-" ? "_" : String($0) }.joined()
  }

  /// Commands of two words first: a shell takes the first pattern that fits.
  static func longestFirst(_ program: DescribedProgram) -> [DescribedCommand] {
    program.commands.filter { $0.words.count > 1 } + program.commands.filter { $0.words.count == 1 }
  }

  /// Text between single quotes of bash and zsh.
  static func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
  }

  // MARK: bash

  private static func bash(_ program: DescribedProgram) -> String {
    var lines = [
      "# bash completion for \(program.name); made by `\(program.name) completions bash`.",
      "\(function(program))() {",
      "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}",
      "  local words='' options='' values='' takes_files=''",
      "  COMPREPLY=()",
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then",
      "    COMPREPLY=($(compgen -W \(quoted(program.words(after: []).joined(separator: " "))) -- \"$current\"))",
      "    return",
      "  fi",
      "  case \"${COMP_WORDS[1]}\" in",
    ]
    for first in program.words(after: []) {
      let next = program.words(after: [first])
      if !next.isEmpty { lines.append("    \(first)) words=\(quoted(next.joined(separator: " "))) ;;") }
    }
    lines += ["  esac", "  case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in"]
    for command in longestFirst(program) {
      lines.append("    \(pattern(command)))")
      lines.append("      options=\(quoted(command.options.map { "--" + $0.name }.joined(separator: " ")))")
      lines += command.takesFiles ? ["      takes_files=yes"] : []
      let valued = command.options.filter { $0.value != nil }
      if !valued.isEmpty { lines += ["      case \"$before\" in"] + valued.map(bashValue) + ["      esac"] }
      lines.append("      ;;")
    }
    lines += [
      "  esac",
      "  case \"$values\" in",
      "    file) COMPREPLY=($(compgen -f -- \"$current\")); return ;;",
      "    folder) COMPREPLY=($(compgen -d -- \"$current\")); return ;;",
      "    text) return ;;",
      "    ?*) COMPREPLY=($(compgen -W \"${values#choice }\" -- \"$current\")); return ;;",
      "  esac",
      "  [ \"$COMP_CWORD\" -eq 2 ] || words=''",
      "  COMPREPLY=($(compgen -W \"$words $options\" -- \"$current\"))",
      "  if [ -n \"$takes_files\" ] && [ \"${current#-}\" = \"$current\" ]; then",
      "    COMPREPLY+=($(compgen -f -- \"$current\"))",
      "  fi",
      "}",
      "complete -o filenames -F \(function(program)) \(program.name)",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func pattern(_ command: DescribedCommand) -> String {
    command.words.count > 1 ? quoted(command.name) : quoted(command.name + " ") + "*"
  }

  private static func bashValue(_ option: DescribedCommand.Option) -> String {
    let values =
      switch option.kind {
      case .file: "file"
      case .folder: "folder"
      case .choice(let words): "choice " + words.joined(separator: " ")
      case .text, nil: "text"
      }
    return "        --\(option.name)) values=\(quoted(values)) ;;"
  }

  // MARK: zsh

  private static func zsh(_ program: DescribedProgram) -> String {
    var lines = [
      "#compdef \(program.name)",
      "# zsh completion for \(program.name); made by `\(program.name) completions zsh`.",
      "\(function(program))() {",
      "  local -a commands",
      "  if (( CURRENT == 2 )); then",
      "    commands=(",
    ]
    lines += program.words(after: []).map { first in
      let summary = program.commands.first { $0.name == first }?.summary ?? ""
      return "      " + quoted(summary.isEmpty ? first : first + ":" + summary)
    }
    lines += ["    )", "    _describe -t commands command commands", "    return", "  fi", "  local -a subjects"]
    lines.append("  case \"${words[2]}\" in")
    for first in program.words(after: []) {
      let next = program.words(after: [first])
      if !next.isEmpty { lines.append("    \(first)) subjects=(\(next.joined(separator: " "))) ;;") }
    }
    lines += [
      "  esac", "  if (( CURRENT == 3 && $#subjects )); then compadd -a subjects; fi",
      "  case \"${words[2]} ${words[3]}\" in",
    ]
    for command in longestFirst(program) {
      lines.append("    \(pattern(command))) _arguments \\")
      lines += command.options.map { "      \(quoted(zshOption($0))) \\" }
      lines += [command.takesFiles ? "      '*:file:_files'" : "      '*:word: '", "      ;;"]
    }
    lines += ["  esac", "}", "\(function(program)) \"$@\""]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func zshOption(_ option: DescribedCommand.Option) -> String {
    let explained = "--\(option.name)[\(zshText(option.text))]"
    let value = zshText(option.value ?? "")
    return switch option.kind {
    case .file: "*\(explained):\(value):_files"
    case .folder: "*\(explained):\(value):_files -/"
    case .choice(let words): "*\(explained):value:(\(words.joined(separator: " ")))"
    case .text: "*\(explained):\(value): "
    case nil: explained
    }
  }

  /// Brackets and colons end a text of `_arguments`.
  private static func zshText(_ text: String) -> String {
    text.map { "[]:\\".contains($0) ? "\\" + String($0) : String($0) }.joined()
  }

  // MARK: fish

  private static func fish(_ program: DescribedProgram) -> String {
    let firsts = program.words(after: []).joined(separator: " ")
    var lines = [
      "# fish completion for \(program.name); made by `\(program.name) completions fish`.",
      "complete -c \(program.name) -f",
    ]
    for first in program.words(after: []) {
      let summary = program.commands.first { $0.name == first }?.summary ?? ""
      lines.append(
        "complete -c \(program.name) -n \"not __fish_seen_subcommand_from \(firsts)\" -a \(first)"
          + (summary.isEmpty ? "" : " -d \(fishText(summary))"))
      for next in program.words(after: [first]) {
        lines.append("complete -c \(program.name) -n \"__fish_seen_subcommand_from \(first)\" -a \(next)")
      }
    }
    for command in program.commands {
      let seen = command.words.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
      let line = "complete -c \(program.name) -n \"\(seen)\""
      if command.takesFiles { lines.append(line + " -F") }
      lines += command.options.map { line + " -l \($0.name)" + fishValue($0) + " -d \(fishText($0.text))" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func fishValue(_ option: DescribedCommand.Option) -> String {
    switch option.kind {
    case .file: " -r -F"
    case .folder: " -x -a \"(__fish_complete_directories)\""
    case .choice(let words): " -x -a \(quoted(words.joined(separator: " ")))"
    case .text: " -x"
    case nil: ""
    }
  }

  private static func fishText(_ text: String) -> String {
    "'" + text.map { "\\'".contains($0) ? "\\" + String($0) : String($0) }.joined() + "'"
  }
}
