import Foundation
import PaymentPrimitives
import ServerConfiguration
import StrictJSON
import Testing

/// Realistic mistakes: none of them passes `config check` or `doctor`.
@Suite struct `A broken configuration` {
  private static let list = BrokenConfigurations.all
  private static var good: String {
    get throws { try ExampleConfiguration(profile: "production").text }
  }

  private func run(
    _ broken: BrokenConfiguration, language: String = "en_US.UTF-8"
  ) async throws -> ConfigCommandRun.Answer? {
    var text = try Self.good
    var files = ExampleFiles.all
    var machine = ConfigCommandRun.Machine()
    switch broken.fault {
    case .text(let changes):
      for (from, to) in changes {
        let range = try #require(text.range(of: from), "\(broken.number): \(from) does not occur")
        text.replaceSubrange(range, with: to)
      }
    case .whole(let other): text = other
    case .added(let more): text += more
    case .file(let name, let bytes): files[name] = bytes
    case .exposed(let name): machine.exposed = [name]
    case .machine(.port): machine.isPortTaken = true
    case .machine(.folder(let path)): machine.unwritable = path
    case .store: return nil
    }
    let command = broken.isRefusedByDoctor ? ["doctor", "--json"] : ["config", "check"]
    return await ConfigCommandRun.run(
      text, files: files, variables: ["LANG": language], arguments: command + ["--config", "c.toml"], machine: machine)
  }

  @Test func `is refused only because of its fault: the whole of it works`() async throws {
    let answer = await ConfigCommandRun.run(try Self.good, files: ExampleFiles.all, variables: [:])
    #expect(answer.code == 0, "\(answer.errors)")
  }

  @Test(arguments: list.filter { !$0.isRefusedByDoctor })
  func `is refused by config check with a stable code, its place and what to do`(broken: BrokenConfiguration)
    async throws
  {
    let answer = try #require(try await run(broken))
    #expect(answer.code == 2, "\(answer.shown)")
    let place = broken.setting.map { "\($0): \(broken.code): " } ?? "\(broken.code): "
    #expect(answer.errors.contains(place), "\(answer.errors)")
    #expect(answer.errors.contains("c.toml"), "\(answer.errors)")
    #expect(!answer.errors.contains("sesame") && !answer.errors.contains("BEGIN"), "\(answer.errors)")
    // What to do stands in the line below, in the language of the terminal.
    let lines = answer.errors.split(separator: "\n")
    let index = try #require(lines.firstIndex { $0.contains(broken.code) })
    #expect(lines[index + 1].hasPrefix("  ") && lines[index + 1].last == ".", "\(answer.errors)")
    let chinese = try #require(try await run(broken, language: "zh_CN.UTF-8"))
    let spoken = chinese.errors.split(separator: "\n")
    let other = try #require(spoken.firstIndex { $0.contains(broken.code) })
    #expect(spoken[other + 1].last == "。", "\(chinese.errors)")
  }

  @Test(arguments: list.filter { $0.isRefusedByDoctor })
  func `is refused by doctor with the name of the check, the cause and what to do`(broken: BrokenConfiguration)
    async throws
  {
    if case .store(let examine) = broken.fault {
      let failed = try examine()
      let found = try #require(failed[broken.code], "\(failed)")
      #expect(found.cause.last == "." || !found.cause.isEmpty)
      #expect(found.remedy.last == ".", "\(found.remedy)")
    } else {
      let answer = try #require(try await run(broken))
      #expect(answer.code == 1, "\(answer.errors)")
      let findings = try answer.shown.split(separator: "\n").map { try JSONReader.read(Array($0.utf8)) }
      let found = try #require(findings.first { $0["check"]?.string == broken.code }, "\(answer.shown)")
      #expect(found["outcome"]?.string == "failed", "\(found.text)")
      #expect(found["remedy"]?.string?.last == ".", "\(found.text)")
    }
  }

  @Test func `is one of at least forty, and the page lists them all`() throws {
    #expect(Self.list.count >= 40)
    let page = """
      # Broken configurations

      Each of these mistakes is refused before the first purchase: by `counterfoil config check`, which reads the file
      as the server would, or by `counterfoil doctor`, which tries machine and stores. A test makes each of them.
      下列错误都会在首次购买之前被拒绝：由读取配置的 `counterfoil config check`，或由检查本机与商店的 `counterfoil doctor`。每一项都有测试。

      | number | what is broken 问题 | refused by 由谁拒绝 | code 错误码 |
      |---|---|---|---|
      \(Self.list.map(\.row).joined(separator: "\n"))

      """
    let root = (0..<4).reduce(URL(filePath: #filePath)) { place, _ in place.deletingLastPathComponent() }
    let written = try String(
      contentsOf: root.appending(path: "docs/reference/broken-configurations.md"), encoding: .utf8)
    #expect(written == page, "docs/reference/broken-configurations.md must be:\n\(page)")
  }
}
