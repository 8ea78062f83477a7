import CounterfoilCLI
import Foundation
import TestSubprocess
import Testing

/// The completions of shells, made from the same tables as the commands parse with.
@Suite struct `The completions of a shell` {
  private static let shells = ["bash", "zsh", "fish"].filter { Described.onPath($0) != nil }

  private static func script(_ shell: String, _ program: Described) async throws -> URL {
    let answer = await program.run(["completions", shell])
    #expect(answer.code == 0 && answer.errors == "")
    let file = FileManager.default.temporaryDirectory.appending(path: "counterfoil-completion-\(UUID().uuidString)")
    try answer.shown.write(to: file, atomically: true, encoding: .utf8)
    return file
  }

  /// What bash offers after these words, the last of which is incomplete.
  private static func offered(_ words: [String], by script: URL, function: String, in folder: String = "/") throws
    -> [String]
  {
    let process = try OtherProgram(
      "/bin/sh",
      [
        "-c",
        """
        cd "$1" && shift && exec bash --norc --noprofile -c '
          . "$1"; function=$2; shift 2
          COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "$function"; printf "%s\\n" "${COMPREPLY[@]}"' bash "$@"
        """, "sh", folder, script.path, function,
      ] + words, environment: ["PATH": "/usr/bin:/bin"])
    #expect(process.end() == 0, "\(process.errors)")
    #expect(process.errors == "")
    return process.output.split(separator: "\n").map(String.init)
  }

  @Test func `are refused for an unknown shell, and without one`() async {
    for program in Described.programs {
      for words in [["tcsh"], [], ["bash", "zsh"]] {
        let answer = await program.run(["completions"] + words)
        #expect(answer.code == 2 && answer.shown == "", "\(words)")
      }
    }
  }

  @Test func `name every command and every option that its command accepts`() async throws {
    for program in Described.programs {
      for shell in ["bash", "zsh", "fish"] {
        let text = await program.run(["completions", shell]).shown
        for command in program.all {
          for word in command.name.split(separator: " ") { #expect(text.contains(word), "\(shell): \(command.name)") }
          for option in command.optionsForPeople {
            let form = shell == "fish" ? " -l \(option) " : "--\(option)"
            #expect(text.contains(form), "\(shell): \(command.name) --\(option)")
          }
        }
      }
    }
  }

  @Test(.enabled(if: shells.contains("bash"), "bash is absent"))
  func `offer in bash what the command accepts, and nothing of another`() async throws {
    for program in Described.programs {
      let script = try await Self.script("bash", program)
      defer { try? FileManager.default.removeItem(at: script) }
      let function = program.name == "counterfoil" ? "_counterfoil" : "_counterfoil_lab"
      let firsts = try Self.offered([program.name, ""], by: script, function: function)
      #expect(
        Set(firsts) == Set(program.all.compactMap { $0.name.split(separator: " ").first.map(String.init) } + ["help"]))
      for command in program.all where command.parts.isEmpty {
        let words = [program.name] + command.name.split(separator: " ").map(String.init)
        let offered = try Self.offered(words + ["--"], by: script, function: function)
        #expect(Set(offered) == Set(command.optionsForPeople.map { "--" + $0 }), "\(command.name)")
      }
    }
  }

  @Test(.enabled(if: shells.contains("bash"), "bash is absent"))
  func `offer in bash words after a word, files for files, folders for folders, and nothing for other values`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "counterfoil-files-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder.appending(path: "sub"), withIntermediateDirectories: true)
    try "".write(to: folder.appending(path: "shop.toml"), atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = Described.programs[0]
    let script = try await Self.script("bash", program)
    defer { try? FileManager.default.removeItem(at: script) }
    func offered(_ words: String...) throws -> [String] {
      try Self.offered(["counterfoil"] + words, by: script, function: "_counterfoil", in: folder.path).sorted()
    }
    #expect(try offered("ser") == ["serve"])
    #expect(try offered("config", "c") == ["check"])
    #expect(try offered("keys", "").filter { !$0.hasPrefix("--") } == ["create", "list", "revoke"])
    #expect(try offered("serve", "--config", "sh") == ["shop.toml"])
    #expect(try offered("backup", "--to", "s") == ["sub"])
    #expect(try offered("keys", "create", "--label", "s") == [])
    #expect(try offered("verify", "sh") == ["shop.toml"])
    #expect(try offered("version", "sh") == [])
    #expect(try offered("completions", "z") == ["zsh"])
  }

  @Test(.enabled(if: shells.contains("zsh") || shells.contains("fish"), "zsh and fish are absent"))
  func `are read by zsh and fish without an error`() async throws {
    for program in Described.programs {
      for (shell, check) in [("zsh", ["-n"]), ("fish", ["--no-execute"])] where Self.shells.contains(shell) {
        let script = try await Self.script(shell, program)
        defer { try? FileManager.default.removeItem(at: script) }
        let process = try OtherProgram(
          try #require(Described.onPath(shell)), check + [script.path],
          environment: ["PATH": "/usr/bin:/bin", "HOME": NSTemporaryDirectory()])
        #expect(process.end() == 0 && process.errors == "", "\(shell): \(process.errors)")
      }
    }
  }

  @Test(.enabled(if: shells.contains("fish"), "fish is absent"))
  func `offer in fish what the command accepts`() async throws {
    let script = try await Self.script("fish", Described.programs[0])
    defer { try? FileManager.default.removeItem(at: script) }
    func offered(_ line: String) throws -> [String] {
      let process = try OtherProgram(
        try #require(Described.onPath("fish")), ["--no-config", "-c", "source \(script.path); complete -C '\(line)'"],
        environment: ["PATH": "/usr/bin:/bin", "HOME": NSTemporaryDirectory()])
      #expect(process.end() == 0, "\(process.errors)")
      return process.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    }
    #expect(try offered("counterfoil ser") == ["serve"])
    #expect(try offered("counterfoil serve --without") == ["--without-asking"])
    #expect(try offered("counterfoil keys re") == ["revoke"])
  }
}
