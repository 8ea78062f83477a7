import Foundation
import Testing

@Suite struct `The rules of the simulated App Store` {
  private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The ids that appear in the Swift files of a folder.
  private func ids(in folder: String) throws -> Set<String> {
    let folder = Self.package.appending(path: folder)
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path()).filter { $0.hasSuffix(".swift") }
    var ids: Set<String> = []
    for name in names {
      let text = String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
      ids.formUnion(text.matches(of: /AS-[A-Z]+-[0-9]+/).map { String($0.output) })
    }
    return ids
  }

  /// The ids at the start of each row of the table, in order.
  private func listed() throws -> [String] {
    let page = try Data(contentsOf: Self.package.appending(path: "Sources/Simulators/AppStoreSimulator/Limits.md"))
    return String(decoding: page, as: UTF8.self).split(separator: "\n").compactMap { line in
      line.firstMatch(of: /^\| (AS-[A-Z]+-[0-9]+) \|/).map { String($0.output.1) }
    }
  }

  @Test func `are listed once each in Limits.md`() throws {
    let ids = try listed()
    #expect(ids.count > 50 && Set(ids).count == ids.count)
  }

  @Test func `are listed if the code names them, and each listed one is cited by a test`() throws {
    let listed = Set(try listed())
    let code = try ids(in: "Sources/Simulators/AppStoreSimulator")
    let tests = try ids(in: "Tests/AppStoreSimulatorTests")
    #expect(code.subtracting(listed).sorted() == [], "not listed")
    #expect(tests.subtracting(listed).sorted() == [], "cited, and not listed")
    #expect(listed.subtracting(tests).sorted() == [], "listed, and not cited by a test")
  }
}
