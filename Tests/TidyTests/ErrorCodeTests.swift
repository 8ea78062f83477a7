import Foundation
import PaymentPrimitives
import Testing

@Suite struct `The error codes` {
  private let page = "docs/reference/errors.md"

  @Test func `are all in the catalog`() {
    let declared = ErrorCodeCatalog.declaredTypes(in: Repository.swift)
    #expect(declared.symmetricDifference(Set(ErrorCodeCatalog.entries.map(\.type))) == [])
    #expect(!ErrorCodeCatalog.entries.isEmpty)
  }

  @Test func `are found in sources that declare them`() {
    let file = SourceFile("Sources/A/A.swift", "public enum AErrorCode: String, ErrorCode {}\nenum B: String {}")
    #expect(ErrorCodeCatalog.declaredTypes(in: [file]) == ["AErrorCode"])
  }

  @Test func `are unique over the product`() {
    let codes = ErrorCodeCatalog.entries.map(\.code)
    let doubled = Dictionary(grouping: codes) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
    #expect(doubled == [])
  }

  /// Ours are small letters and underscores; results of verification are Apple's words, in camel case.
  @Test func `are plain words, with a meaning and a remedy in both languages`() {
    for entry in ErrorCodeCatalog.entries {
      let isApples = entry.type == "SignedDataErrorCode"
      let isPlain = entry.code.unicodeScalars.allSatisfy { scalar in
        ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) || scalar == (isApples ? "x" : "_")
          || isApples && ("A"..."Z").contains(scalar)
      }
      #expect(isPlain, "\(entry.code)")
      for text in [entry.meaning, entry.remedy] {
        #expect(
          text.english.last == "." && text.english.unicodeScalars.allSatisfy { $0.value < 0x3000 }, "\(entry.code)")
        #expect(text.chinese.last == "。" && text.chinese.unicodeScalars.contains { $0.value > 0x4E00 }, "\(entry.code)")
      }
    }
  }

  @Test func `are documented in the page that is made from them`() throws {
    if ProcessInfo.processInfo.environment["COUNTERFOIL_WRITE_DOCS"] == "1" {
      let place = Repository.root.appending(path: page)
      try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(ErrorCodeCatalog.page.utf8).write(to: place)
      return
    }
    let written = try #require(Repository.file(page), "\(page) is missing: make errors")
    #expect(written.text == ErrorCodeCatalog.page, "\(page) is not as the sources say: make errors")
  }

  @Test func `are each reached by a test, but for those that the ratchet names`() {
    let tests = Repository.swift.filter { $0.path.hasPrefix("Tests/") && !$0.isIn("Tests/TidyTests") }
      .map(ErrorCodeCatalog.Reach.init)
    let unreached = ErrorCodeCatalog.entries.filter { !ErrorCodeCatalog.isReached($0, by: tests) }.map(\.code)
    let listed = Ratchets.unreachedErrorCodes
    #expect(Set(unreached).subtracting(listed).sorted() == [], "no test reaches these codes")
    #expect(
      listed.subtracting(unreached).sorted() == [],
      "a test reaches these codes, or they are gone: take them off the list")
  }

  @Test func `count as reached by their text, or by their case where the module is imported`() throws {
    let entry = try #require(ErrorCodeCatalog.entries.first { $0.code == "configuration_syntax" })
    func isReached(_ text: String) -> Bool {
      ErrorCodeCatalog.isReached(
        entry, by: [ErrorCodeCatalog.Reach(SourceFile("Tests/TOMLConfigurationTests/A.swift", text))])
    }
    #expect(isReached("\"configuration_syntax\""))
    #expect(isReached("import TOMLConfiguration\n#expect(a == .syntax)"))
    #expect(!isReached("#expect(a == .syntax)"))
    #expect(!isReached("// configuration_syntax"))
    #expect(!isReached("import TOMLConfiguration\n// .syntax"))
  }
}
