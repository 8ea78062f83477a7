import Testing
import TidyRules

/// Nothing on Linux reports that an app for an old system cannot be built.
@Suite struct `The rule of the oldest systems` {
  private func file(_ text: String) -> SourceFile { SourceFile("Sources/Client/Counterfoil/A.swift", text) }

  @Test func `finds a feature that needs a newer system`() {
    let pack = file("struct A<each Value> {}")
    #expect(OldestSystemRule.findings(in: pack, floor: 15).count == 1)
    #expect(OldestSystemRule.findings(in: pack, floor: 17) == [])
    #expect(OldestSystemRule.findings(in: file("actor A { isolated deinit {} }"), floor: 15).count == 1)
    #expect(OldestSystemRule.findings(in: file("// each\nlet a = \"each\""), floor: 15) == [])
  }

  @Test func `allows what the code asks for, with the version that it needs`() {
    func findings(_ version: String) -> Int {
      let text = "@available(iOS \(version), *) struct A<each Value> {}"
      return OldestSystemRule.findings(in: file(text), floor: 15).count
    }
    #expect(findings("17.0") == 0)
    #expect(findings("16.4") == 1)
  }

  @Test func `finds an oldest version that the manifest should not name`() {
    let right = ["ios": 15, "tvos": 15, "watchos": 8, "visionos": 1, "macos": 15]
    #expect(OldestSystemRule.problems(right) == [])
    #expect(OldestSystemRule.problems(right.merging(["ios": 16]) { $1 }) == ["the oldest ios is not 15"])
    #expect(OldestSystemRule.problems([:]).count == 4)
  }
}
