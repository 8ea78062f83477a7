import Foundation
import PaymentPrimitives
import SystemPlatform
import TestSubprocess
import Testing

/// Prometheus' own tool, and the files that it judges.
enum Promtool {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
  static let folder = root + "/ops/counterfoil."
  static let rules = folder + "rules.yml"
  static let objectives = folder + "slo.yml"

  static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/promtool" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  static let absent: Comment = "promtool is absent: scripts/bootstrap --for-check installs it"

  static func run(_ arguments: String) async throws -> (code: Int32?, text: String) {
    let program = try OtherProgram(
      "/bin/sh", ["-c", "\(try #require(path)) \(arguments)"], environment: [:], within: .seconds(170))
    for _ in 0..<17_500 where program.status == nil { try await Dependencies.system.sleep(.milliseconds(10)) }
    return (program.status, program.output + program.errors)
  }

  static func text(_ path: String) throws -> String {
    String(decoding: try Files.read(path, bytesMax: 1 << 20), as: UTF8.self)
  }

  /// The names of the alerts in the text of a file of rules.
  static func alerts(in rules: String) -> [String] {
    rules.matches(of: /alert: (\w+)/).map { String($0.output.1) }
  }
}
