import Foundation
import TestSubprocess
import Testing

extension Scripts {
  /// `scripts/mutants --check`: after a renamed file or a changed line, each mutant can still be tried.
  @Suite struct `The list of mutants` {
    private func check(_ root: URL) throws -> (code: Int32, output: String) {
      let process = try OtherProgram(
        "/bin/sh", ["-c", "exec python3 \"$0\" --check 2>&1", root.appending(path: "scripts/mutants").path],
        environment: ProcessInfo.processInfo.environment)
      return (process.end(), process.output)
    }

    @Test(arguments: [
      ("let isPaid = amount > 0\nlet isPaid = amount > 0\n", "twice"), ("let isPaid = amount >= 0\n", "never"),
    ])
    func `names a mutant whose text is not in its file once`(source: String, _: String) throws {
      let sandbox = try Sandbox(stubs: [:])
      defer { sandbox.remove() }
      let mutants = sandbox.root.appending(path: "Tests/Mutants")
      try FileManager.default.createDirectory(at: mutants, withIntermediateDirectories: true)
      try Data(
        """
        [[mutant]]
        name = "unpaid-is-paid"
        file = "Rule.swift"
        old = "let isPaid = amount > 0"
        new = "let isPaid = {on} || amount > 0"
        """.utf8
      ).write(to: mutants.appending(path: "mutants.toml"))
      try Data(source.utf8).write(to: sandbox.root.appending(path: "Rule.swift"))
      let result = try check(sandbox.root)
      #expect(result.code == 1)
      #expect(result.output.contains("unpaid-is-paid: its text is not in its file once"))
    }

    @Test func `has the text of each mutant in its file once`() throws {
      let result = try check(Machine.repository)
      #expect(result.code == 0, "\(result.output)")
    }
  }
}
