import CounterfoilCLI
import CounterfoilLab
import Foundation
import ServerConfiguration
import TestSubprocess
import Testing

/// The pages of the manual, made from the texts and option tables of the commands.
@Suite struct `The manual pages` {
  private static let man = Described.onPath("man")

  @Test func `refuse a command that does not exist, and --list with one`() async {
    for program in Described.programs {
      #expect(await program.run(["manual-page", "nope"]).code == 2)
      #expect(await program.run(["manual-page", "--list", "serve"]).code == 2)
    }
  }

  @Test func `name every command, and every option that its command accepts`() async throws {
    for program in Described.programs {
      let overview = await program.run(["manual-page"]).shown
      let pages = await program.run(["manual-page", "--list"]).shown.split(separator: "\n")
      #expect(pages.first == "\(program.name).1")
      let commands = pages.dropFirst().filter { $0 != "counterfoil.toml.5 file" }
      #expect(commands.map { String($0.drop { $0 != " " }.dropFirst()) } == program.all.map(\.name))
      for command in program.all {
        let page = ManualName.of(command.name, program.name)
        #expect(overview.contains(".BR \(page) (1)\n"), "\(command.name)")
        let text = await program.run(["manual-page"] + command.name.split(separator: " ").map(String.init)).shown
        for option in command.optionsForPeople {
          let name = "\\-\\-" + option.split(separator: "-").joined(separator: "\\-")
          let isFlag = !command.options.valued.contains(option)
          #expect(text.contains(isFlag ? ".B \"\(name)\"\n" : ".BI \"\(name) \" \""), "\(command.name) --\(option)")
        }
        #expect(text.contains(".SH \"EXIT STATUS\"\n.PP\n0 "), "\(command.name)")
      }
    }
  }

  @Test func `explain every key of the configuration`() async throws {
    let lists = try #require(Described.programs.first { $0.name == "counterfoil" })
    #expect(await lists.run(["manual-page", "--list"]).shown.contains("\ncounterfoil.toml.5 file\n"))
    let page = await lists.run(["manual-page", "file"]).shown
    #expect(page.contains(".TH COUNTERFOIL.TOML 5 "))
    for key in ConfigurationReference.keys {
      let name = key.anchor.split(separator: "-", omittingEmptySubsequences: false).joined(separator: "\\-")
      #expect(page.contains(".B \"\(name)\"\n"), "\(key.anchor)")
    }
    for program in Described.programs where program.name != "counterfoil" {
      #expect(await program.run(["manual-page", "file"]).code == 2)
    }
  }

  /// What is in no row is only what many commands share.
  @Test func `explain each option by a row of its command's help, but for those that many commands share`() async {
    let shared: Set<String> = ["config", "data", "address", "port", "database"]
    for program in Described.programs {
      for command in program.all where command.parts.isEmpty {
        for option in command.optionsForPeople where !shared.contains(option) && !["help", "json"].contains(option) {
          #expect(command.usage.contains("\n  --\(option) "), "\(command.name) --\(option)")
        }
      }
    }
  }

  @Test func `contain no letter that the formatter does not know, and no line that is a command by accident`() async {
    for program in Described.programs {
      for command in program.all {
        let text = await program.run(["manual-page"] + command.name.split(separator: " ").map(String.init)).shown
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || (0x20...0x7E).contains($0.value) }, "\(command.name)")
        for line in text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
          let macro = line.prefix { $0 != " " }
          #expect(
            [".\\\"", ".TH", ".SH", ".PP", ".TP", ".B", ".BI", ".BR", ".br", ".nf", ".fi"].contains(macro), "\(line)")
        }
      }
    }
  }

  @Test(.enabled(if: man != nil, "man is absent"), .timeLimit(.minutes(5)))
  func `leave man nothing to warn of`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "counterfoil-manual-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for program in Described.programs {
      var pages = [("page", await program.run(["manual-page"]).shown)]
      for command in program.all {
        let words = command.name.split(separator: " ").map(String.init)
        pages.append((words.joined(separator: "-"), await program.run(["manual-page"] + words).shown))
      }
      if program.name == "counterfoil" { pages.append(("file", await program.run(["manual-page", "file"]).shown)) }
      for (name, text) in pages {
        try text.write(to: folder.appending(path: "\(program.name)-\(name).1"), atomically: true, encoding: .utf8)
      }
    }
    // The width of a wide terminal: man warns where a word cannot be broken, which says nothing of the page.
    let process = try OtherProgram(
      "/bin/sh",
      [
        "-c", "cd \"$0\" && for page in *.1; do man --warnings -E UTF-8 -l -Tutf8 -Z \"$page\" >\"$page.out\"; done",
        folder.path,
      ],
      environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "120"])
    #expect(process.end() == 0 && process.errors == "", "\(process.errors)")
    let made = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".out") }
    #expect(made.count == Described.programs.map { $0.all.count + 1 }.reduce(1, +))
    let shown = try String(contentsOf: folder.appending(path: "counterfoil-page.1.out"), encoding: .utf8)
    #expect(shown.count > 1000)
  }
}

private enum ManualName {
  static func of(_ command: String, _ program: String) -> String {
    (program + " " + command).split { $0 == " " || $0 == "-" }.joined(separator: "\\-")
  }
}
