import Testing

extension Scripts {
  /// `scripts/tidy` with a toolchain that has no SwiftSyntax.
  @Suite struct `The script that runs the tidy tool` {
    @Test(arguments: [("Linux", 1), ("Darwin", 3)] as [(String, Int32)])
    func `names the toolchain to install, and fails on Linux, where each of them has SwiftSyntax`(
      system: String, code: Int32
    ) throws {
      let sandbox = try Sandbox(stubs: [
        "swiftc": "echo '  \"runtimeResourcePath\": \"/nowhere/usr/lib/swift\",'", "uname": "echo \(system)",
      ])
      defer { sandbox.remove() }
      let result = try sandbox.run("scripts/tidy", ["check"])
      #expect(result.code == code)
      #expect(result.output.contains("no SwiftSyntax in /nowhere/usr/lib/swift/host"))
      #expect(result.output.contains("https://www.swift.org/install/"))
    }
  }
}
