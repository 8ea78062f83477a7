import Foundation
import Testing

/// The conventions, held against every file of the tree.
@Suite struct `The tree` {
  @Test func `has no file, function or line that is too long`() {
    #expect(Repository.files.flatMap { LengthRule.findings(in: $0) }.report == "")
    #expect(LengthRule.idle(Ratchets.lengths, among: Repository.files) == [])
  }

  @Test func `has no banned call, and no exception that nothing needs`() {
    #expect(Repository.swift.flatMap { BannedCallRule.findings(in: $0) }.report == "")
    #expect(BannedCallRule.idleExceptions(BannedCallRule.exceptions, among: Repository.swift) == [])
  }

  @Test func `has no name that says nothing`() {
    #expect(Repository.files.flatMap { NameRule.findings(in: $0) }.report == "")
  }

  @Test func `has what the compiler cannot check in the named files alone`() {
    #expect(Repository.swift.flatMap { UncheckedRule.findings(in: $0) }.report == "")
    #expect(UncheckedRule.idle(UncheckedRule.files, among: Repository.swift) == [])
    #expect(UncheckedRule.listProblems() == [], "only a module that owns a C library has such a file, and one of them")
  }

  @Test func `has no floating point near money`() {
    #expect(Repository.swift.flatMap { FloatingPointRule.findings(in: $0) }.report == "")
  }

  @Test func `documents every public declaration`() {
    #expect(Repository.swift.flatMap { DocumentationRule.findings(in: $0) }.report == "")
  }

  @Test func `has neither paths of one machine nor hosts of registries, and tidy ends of lines`() {
    #expect(Repository.files.flatMap { TextRule.findings(in: $0) }.report == "")
  }

  // MARK: modules

  @Test func `imports what the manifest declares and the layer allows, and nothing else`() throws {
    let manifest = try Manifest.ofThisPackage.get()
    #expect(Repository.files.flatMap { ImportRule.findings(in: $0, manifest: manifest) }.report == "")
  }

  @Test func `has a target for every source file, and a file for every target`() throws {
    let manifest = try Manifest.ofThisPackage.get()
    let systemLibraries = Set(manifest.targets.filter { $0.kind == "system" }.map(\.name))
    #expect(
      TreeRule.problems(
        paths: Repository.paths, targets: Set(manifest.targets.map(\.name)), systemLibraries: systemLibraries) == [])
  }

  // MARK: pages

  @Test func `has pages with one title each`() {
    #expect(Repository.markdown.flatMap { PageRule.findings(in: $0) }.report == "")
  }

  @Test func `says the same in both languages of its README`() {
    guard let english = Repository.file("README.md") else { return }
    guard let chinese = Repository.file("README.zh-CN.md") else {
      Issue.record("README.md has no README.zh-CN.md beside it")
      return
    }
    #expect(PageRule.differences(english, chinese) == [])
  }

  @Test func `names in its pages only what exists`() throws {
    let manifest = try Manifest.ofThisPackage.get()
    let vocabulary = try #require(Repository.file("docs/vocabulary.md"))
    // Our own words stand in the first chapter, and are checked like those of any page.
    let foreign = vocabulary.lines.drop { !$0.hasPrefix("## The same thing at both stores") }
    #expect(!foreign.isEmpty)
    let known = ReferenceRule.Known(
      paths: Repository.paths, declarations: Declarations(Repository.swift),
      foreign: Set(foreign.flatMap { ReferenceRule.codeSpans(in: $0) }),
      modules: Set(manifest.targets.map(\.name)).union(["Counterfoil"]))
    #expect(Repository.markdown.flatMap { ReferenceRule.findings(in: $0, known) }.report == "")
  }
}
