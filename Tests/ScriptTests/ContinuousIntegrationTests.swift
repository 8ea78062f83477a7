import Testing

extension Scripts {
  /// `.ci/run` against a stub of make: it ends with the closing line of the test runner, and never passes for less than
  /// all.
  @Suite struct `The script that CI runs` {
    private static let passed = "✔ Test run with 12 tests in 3 suites passed after 0.5 seconds."
    private static let failed = "✘ Test run with 12 tests in 3 suites failed after 0.5 seconds with 1 issue."
    private static let none = "✔ Test run with 0 tests in 0 suites passed after 0.001 seconds."

    private func run(_ make: String) throws -> (code: Int32, output: String) {
      let sandbox = try Sandbox(stubs: ["make": make])
      defer { sandbox.remove() }
      return try sandbox.run(".ci/run")
    }

    private func lastLine(_ output: String) -> String { output.split(separator: "\n").last.map(String.init) ?? "" }

    @Test func `fails when a test failed, and still ends with the closing line`() throws {
      let result = try run("echo '\(Self.failed)'; echo 'make: *** [test] Error 1'; exit 2")
      #expect(result.code == 1)
      #expect(lastLine(result.output) == Self.failed)
    }

    @Test func `fails when no test ran`() throws {
      let result = try run("echo '\(Self.none)'")
      #expect(result.code == 1)
      #expect(result.output.contains("no test ran"))
    }

    @Test func `fails when nothing could be built`() throws {
      let result = try run("echo 'error: no such module'; exit 1")
      #expect(result.code == 1)
      #expect(result.output.contains("never finished"))
    }

    @Test func `fails when the runner vanished, even if make says that all went well`() throws {
      #expect(try run("echo 'Build complete!'").code == 1)
    }

    @Test func `fails when make failed after tests that passed`() throws {
      let result = try run("echo '\(Self.passed)'; exit 2")
      #expect(result.code == 1)
    }

    @Test func `fails when there is no make`() throws {
      #expect(try run("exit 127").code == 1)
    }

    /// A make whose two runs say so, each with its exit code.
    private func twoRuns(_ test: String, _ code: Int, depth: String, depthCode: Int) -> String {
      """
      case "$1" in
        test) echo '\(test)'; exit \(code) ;;
        in-depth) echo '\(depth)'; exit \(depthCode) ;;
        *) exit 2 ;;
      esac
      """
    }

    @Test func `passes when both runs passed, and ends with the closing line of the larger one`() throws {
      let result = try run(
        twoRuns(Self.passed, 0, depth: "✔ Test run with 9 tests in 3 suites passed after 9 seconds.", depthCode: 0))
      #expect(result.code == 0)
      #expect(lastLine(result.output) == Self.passed)
    }

    @Test func `fails when the second run failed, and ends with its closing line`() throws {
      let depth = "✘ Test run with 9 tests in 3 suites failed after 9 seconds with 1 issue."
      let result = try run(twoRuns(Self.passed, 0, depth: depth, depthCode: 2))
      #expect(result.code == 1)
      #expect(lastLine(result.output) == depth)
    }

    @Test func `fails when the second run never ended`() throws {
      #expect(try run(twoRuns(Self.passed, 0, depth: "within: the time is over", depthCode: 124)).code == 1)
    }

    @Test func `passes when all tests passed, and ends with the closing line`() throws {
      let result = try run("echo '\(Self.passed)'")
      #expect(result.code == 0)
      #expect(lastLine(result.output) == Self.passed)
    }

    @Test func `knows the closing line of a single test`() throws {
      #expect(try run("echo '✔ Test run with 1 test in 1 suite passed after 0.001 seconds.'").code == 0)
    }
  }
}
