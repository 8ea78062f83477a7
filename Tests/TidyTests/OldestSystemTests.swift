import Testing

/// Nothing on Linux tells that an app of an old system cannot be built: one line that needed iOS 14 in a package for
/// iOS 13 kept every app from building.
@Suite struct `The oldest systems of apps` {
  private func manifest() throws -> SourceFile { try #require(Repository.file("Package.swift")) }

  @Test func `are those that StoreKit 2 needs, and StoreKit 1 runs on each`() throws {
    let floors = OldestSystemRule.floors(in: try manifest())
    #expect(floors == ["iOS": 15, "tvOS": 15, "watchOS": 8, "visionOS": 1])
  }

  @Test func `have all that the client uses without asking for a newer one`() throws {
    let floor = try #require(OldestSystemRule.floors(in: try manifest())["iOS"])
    let modules = Set(ClientProduct.all.flatMap(\.closure))
    let files = Repository.swift.filter { file in file.target.map { modules.contains($0) } == true }
    #expect(files.count > 50)
    #expect(files.flatMap { OldestSystemRule.findings(in: $0, floor: floor) }.report == "")
  }

  // MARK: the rule

  private func file(_ text: String) -> SourceFile { SourceFile("Sources/Client/Counterfoil/A.swift", text) }

  @Test func `may not be forgotten: what is newer is found`() {
    let line = file("let text = String(unsafeUninitializedCapacity: 36) { _ in 0 }")
    #expect(OldestSystemRule.findings(in: line, floor: 13).count == 1)
    #expect(OldestSystemRule.findings(in: line, floor: 15).isEmpty)
    #expect(OldestSystemRule.findings(in: file("import Synchronization\nlet a = Mutex(1)"), floor: 15).count == 2)
    #expect(OldestSystemRule.findings(in: file("await withDiscardingTaskGroup { _ in }"), floor: 15).count == 1)
  }

  @Test func `may be asked for by the code, with the version that it needs`() {
    func findings(_ version: String) -> Int {
      let text = "if #available(iOS \(version), *) { _ = product.subscription?.winBackOffers }"
      return OldestSystemRule.findings(in: file(text), floor: 15).count
    }
    #expect(findings("18.0") == 0)
    #expect(findings("17.4") == 1)
    #expect(OldestSystemRule.findings(in: file("// Mutex\nlet a = \"Mutex\""), floor: 15).isEmpty)
  }
}
