import Foundation
import Testing

/// `ops/debian/counterfoil.toml`, which the package installs.
@Suite struct `The configuration of the package` {
  private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "ops/debian/counterfoil.toml")

  private static func text() throws -> String { try String(contentsOf: file, encoding: .utf8) }

  /// What an operator writes into the marked lines, by their numbers.
  private static let values = [
    "1": "\"shop\"", "2": "\"org.shop.game\"", "3": "1001", "4": "2026-01-31T00:00:00Z", "5": "\"coins.100\"",
    "6": "[\"org.shop.game.coins100\"]",
  ]

  /// The text with these marked lines filled in, and how many those were.
  private static func filled(_ numbers: Set<String>) throws -> (text: String, count: Int) {
    var count = 0
    let lines = try text().split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
      guard let match = line.firstMatch(of: /^(\w+) = .*# <- (\d)\./), numbers.contains(String(match.2)) else {
        return String(line)
      }
      count += 1
      return "\(match.1) = \(values[String(match.2)] ?? "")"
    }
    return (lines.joined(separator: "\n"), count)
  }

  private static func run(_ text: String, _ command: String...) async -> ConfigCommandRun.Answer {
    let secret = [UInt8](repeating: 0x61, count: 64)
    return await ConfigCommandRun.run(
      text, files: ["secrets/user-token.secret": secret], variables: [:], arguments: command + ["--config", "c.toml"])
  }

  @Test func `starts no server before it is filled in, and names each line that is missing`() async throws {
    let answer = await Self.run(try Self.text(), "serve")
    #expect(answer.code == 2 && answer.shown == "")
    for key in ["app[0].id", "app[0].bundle_id", "app[0].app_apple_id", "app[0].deliver_from", "app[0].product[0].id"] {
      let line = answer.errors.split(separator: "\n").first { $0.contains(": \(key): configuration_") }
      #expect(line?.contains(#/c\.toml:\d+:\d+: /#) == true, "\(key): \(answer.errors)")
    }
  }

  @Test(arguments: Self.values.keys.sorted())
  func `is refused while one of the six lines is not filled in`(number: String) async throws {
    let (text, count) = try Self.filled(Set(Self.values.keys).subtracting([number]))
    #expect(count == 5)
    for command in [["serve"], ["config", "check"]] {
      let answer = await ConfigCommandRun.run(
        text, files: ["secrets/user-token.secret": [UInt8](repeating: 0x61, count: 64)], variables: [:],
        arguments: command + ["--config", "c.toml"])
      #expect(answer.code == 2 && answer.errors.contains("configuration_"), "\(command) \(number): \(answer.errors)")
    }
  }

  @Test func `is accepted once the six lines are filled in`() async throws {
    let (text, count) = try Self.filled(Set(Self.values.keys))
    #expect(count == 6)
    let answer = await Self.run(text, "config", "check")
    #expect(answer.errors == "" && answer.code == 0)
    #expect(answer.shown.contains("database /var/lib/counterfoil/counterfoil.db"))
  }
}
