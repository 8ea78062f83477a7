import Foundation
import StrictJSON
import TestSubprocess
import TestTier
import Testing

/// The pages under `docs`, as their readers use them: `Tests/Tools/manual_links.py` and `manual_commands.py`.
///
/// One after the other: the site is laid out in one folder.
@Suite(.serialized) struct `The manual` {
  private static let browser = ["chromium", "chromedriver"].compactMap(Tool.onPath)
  private static let absence = "python3 is absent: scripts/bootstrap --for-tests installs it, and make test calls that"
  private static let tools = Tool.place(".build/python-for-site/installed")
  private static let noTools = "the tool that builds the site is absent: scripts/bootstrap --for-check installs it"

  private func wrong(in report: JSONValue) -> [String]? { report["wrong"]?.array?.compactMap(\.string) }

  @Test(.enabled(if: Tool.arePresent("python3"), Comment(rawValue: absence)), .timeLimit(.minutes(5)))
  func `answers twenty questions at most two links from its index, and names only what exists`() async throws {
    let report = try await Tool.withFolder { folder in
      try await Tool.python("manual_links.py", ["pages", try Tool.program()], in: folder)
    }
    #expect(wrong(in: report) == [])
    #expect(try #require(report["done"]?.integer) > 400)
  }

  // The commands run in an environment of their own, where the thread sanitizer knows nothing of Swift's mutexes.
  @Test(
    .enabled(if: Tool.arePresent("python3", "curl"), Comment(rawValue: absence)),
    .disabled(if: CommandLine.arguments[0].contains("/sanitize-"), "scripts/sanitize"), .timeLimit(.minutes(10)))
  func `shows only commands that run, and data that the server prints`() async throws {
    let report = try await Tool.withFolder { folder in
      try await Tool.python(
        "manual_commands.py", [try Tool.program(), folder.path], in: folder, within: .seconds(540))
    }
    #expect(wrong(in: report) == [])
    let counts = ["ran", "explained", "skipped"].map { report[$0]?.integer ?? Int64(report[$0]?.array?.count ?? -1) }
    #expect(counts[0] + counts[2] >= 41, "\(counts)")
    #expect(counts[1] <= 17, "too many blocks only say why they are not run: \(counts)")
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: tools), Comment(rawValue: noTools)),
    .timeLimit(.minutes(5)))
  func `is built as a site whose links lead somewhere, and that loads nothing from elsewhere`() async throws {
    let report = try await Tool.withFolder { folder in
      let site = folder.appending(path: "site").path
      try await OtherProgram.run(Tool.place("scripts/site"), [site], within: OtherProgram.patience)
      return try await Tool.python("manual_links.py", ["site", site], in: folder)
    }
    #expect(wrong(in: report) == [])
    #expect(try #require(report["done"]?.integer) > 5000)
  }

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: tools) && browser.count == 2 && Tool.hasPackages,
      "the site's tool or a browser is absent: scripts/bootstrap --for-check installs them"),
    .timeLimit(.minutes(5)))
  func `is searched in English and in Chinese, in a browser`() async throws {
    // `make check` installs the site's tool and a browser, and then runs this file again.
    let searches = Tier.among(test: 2, check: 4, night: 4)
    let report = try await Tool.withFolder { folder in
      let site = folder.appending(path: "site").path
      try await OtherProgram.run(Tool.place("scripts/site"), [site], within: OtherProgram.patience)
      return try await Tool.packaged("manual_search.py", Self.browser + [site, "\(searches)"], in: folder)
    }
    #expect(wrong(in: report) == [])
    #expect(report["done"]?.integer == Int64(2 * searches))
  }
}
