import Testing
import TidyRules

/// Nothing on Linux reports that an app for an old system cannot be built.
@Suite struct `The rule of the oldest systems` {
  private func file(_ text: String) -> SourceFile { SourceFile("Sources/Client/Counterfoil/A.swift", text) }

  @Test func `finds what is newer`() {
    let line = file("let text = String(unsafeUninitializedCapacity: 36) { _ in 0 }")
    #expect(OldestSystemRule.findings(in: line, floor: 13).count == 1)
    #expect(OldestSystemRule.findings(in: line, floor: 15) == [])
    #expect(OldestSystemRule.findings(in: file("import Synchronization\nlet a = Mutex(1)"), floor: 15).count == 2)
    #expect(OldestSystemRule.findings(in: file("await withDiscardingTaskGroup { _ in }"), floor: 15).count == 1)
  }

  @Test func `allows what the code asks for, with the version that it needs`() {
    func findings(_ version: String) -> Int {
      let text = "if #available(iOS \(version), *) { _ = product.subscription?.winBackOffers }"
      return OldestSystemRule.findings(in: file(text), floor: 15).count
    }
    #expect(findings("18.0") == 0)
    #expect(findings("17.4") == 1)
    #expect(OldestSystemRule.findings(in: file("// Mutex\nlet a = \"Mutex\""), floor: 15) == [])
  }

  @Test func `finds an oldest version that the manifest should not name`() {
    let right = ["ios": 15, "tvos": 15, "watchos": 8, "visionos": 1, "macos": 15]
    #expect(OldestSystemRule.problems(right) == [])
    #expect(OldestSystemRule.problems(right.merging(["ios": 16]) { $1 }) == ["the oldest ios is not 15"])
    #expect(OldestSystemRule.problems([:]).count == 4)
  }
}
