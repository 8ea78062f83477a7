import Testing

extension Scripts {
  /// `scripts/within`, by which the Makefile limits every run of the tests.
  @Suite struct `The script that limits a command` {
    private func run(_ seconds: String, _ program: String...) throws -> (code: Int32, output: String) {
      let sandbox = try Sandbox(stubs: [:])
      defer { sandbox.remove() }
      return try sandbox.run("scripts/within", [seconds] + program)
    }

    @Test(arguments: [[], ["5"], ["soon", "true"], ["-1", "true"]])
    func `refuses what is no time or no command`(arguments: [String]) throws {
      let sandbox = try Sandbox(stubs: [:])
      defer { sandbox.remove() }
      let result = try sandbox.run("scripts/within", arguments)
      #expect(result.code == 2)
      #expect(result.output.contains("usage:"))
    }

    @Test func `ends a command that hangs, with its children of whatever parent and session`() throws {
      let hangs = "(sleep 1011 &); sleep 1012 & \(Self.ownSession) sleep 1013 & echo started; sleep 1014"
      let result = try run("1", "sh", "-c", hangs)
      #expect(result.code == 124)
      #expect(result.output.contains("started"))
      #expect(result.output.contains("the time is over, after 1 s"))
      for child in 1011...1014 where Machine.hasProcessTable {
        #expect(result.output.contains(": sleep \(child)"), "\(child) was not found")
      }
    }

    @Test func `kills what hears no request to end`() throws {
      let result = try run("1", "sh", "-c", "trap '' TERM; while :; do sleep 1; done")
      #expect(result.code == 124)
    }

    @Test(arguments: [0, 1, 7, 124])
    func `ends as its command does, and says nothing of its own`(code: Int32) throws {
      let result = try run("60", "sh", "-c", "echo out; exit \(code)")
      #expect(result.code == code)
      #expect(result.output == "out\n")
    }

    private static let ownSession = Machine.hasProcessTable ? "setsid" : ""
  }
}
