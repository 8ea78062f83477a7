import AppStoreSimulator
import Foundation
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import TestSubprocess
import TestTier
import Testing

/// The metrics of a running server, and the alert rules over them, as Prometheus' own tool judges them.
@Suite struct `The metrics and alert rules` {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
  private static let rules = root + "/ops/counterfoil.rules.yml"

  private static let promtool = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/promtool" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  private static let absent: Comment = "promtool is absent: scripts/bootstrap --for-check installs it"

  private static func promtool(_ arguments: String) async throws -> (code: Int32?, text: String) {
    let program = try OtherProgram(
      "/bin/sh", ["-c", "\(try #require(promtool)) \(arguments)"], environment: [:], within: .seconds(60))
    for _ in 0..<6000 where program.status == nil { try await Dependencies.system.sleep(.milliseconds(10)) }
    return (program.status, program.output + program.errors)
  }

  private static func text(_ path: String) throws -> String {
    String(decoding: try Files.read(path, bytesMax: 1 << 20), as: UTF8.self)
  }

  @Test func `name in each rule only metrics that exist, and each alert has a page in both languages`() throws {
    let rules = try Self.text(Self.rules)
    let names = Set(
      rules.matches(of: /counterfoil_[a-z_]+/).map { match in
        let name = String(match.output)
        return name.hasSuffix("_bucket") ? String(name.dropLast("_bucket".count)) : name
      })
    #expect(names.count >= 15)
    #expect(names.subtracting(Metric.allCases.map(\.rawValue)) == [])
    let alerts = rules.matches(of: /alert: (\w+)/).map { String($0.output.1) }
    #expect(alerts.count == 18)
    for page in ["/docs/alerts.md", "/docs/alerts.zh-CN.md"] {
      let headings = try Self.text(Self.root + page).split(separator: "\n").filter { $0.hasPrefix("## ") }
      #expect(headings.map { String($0.dropFirst(3)) } == alerts, "\(page)")
    }
  }

  @Test(.enabled(if: promtool != nil, absent), .timeLimit(.minutes(2)))
  func `fire when they should and are quiet when they should be`() async throws {
    let checked = try await Self.promtool("check rules \(Self.rules)")
    #expect(checked.code == 0, "\(checked.text)")
    let played = try await Self.promtool("test rules \(Self.root)/ops/counterfoil.rules.test.yml")
    #expect(played.code == 0, "\(played.text)")
    let cases = try Self.text(Self.root + "/ops/counterfoil.rules.test.yml")
    for alert in try Self.text(Self.rules).matches(of: /alert: (\w+)/).map({ String($0.output.1) }) {
      #expect(cases.matches(of: try Regex("alertname: \(alert)\\n")).count == 2, "\(alert)")
    }
  }

  @Test(.enabled(if: promtool != nil, absent), .timeLimit(.minutes(5)))
  func `of a running server leave promtool nothing to say`() async throws {
    try await withShop { shop in
      try await shop.start()
      // `make check` installs promtool, and then runs this again.
      for number in 0..<Tier.among(test: 1, check: 20, night: 100) {
        let user = JSONValue.string("user-\(number)")
        let order = try await shop.ask(
          "POST", "/v1/orders", body: .members([("productId", "coins.100"), ("store", "appStore"), ("userId", user)]))
        let bought = try await shop.buy(order: order.json["id"]?.string, account: "account-\(number)")
        _ = try await shop.ask(
          "POST", "/v1/payments/app-store",
          body: .members([("evidence", .string(bought.signedTransaction)), ("userId", user)]))
      }
      let answer = try await shop.exchange.send(HTTPRequest("GET", shop.address + "/metrics"), .seconds(10))
      let file = shop.folder + "/metrics.txt"
      try Files.replace(file, with: answer.body)
      let checked = try await Self.promtool("check metrics < \(file)")
      #expect(checked.code == 0 && checked.text == "", "\(checked.text)")
      let text = String(decoding: answer.body, as: UTF8.self)
      for name in [
        "counterfoil_build_info{", "process_cpu_seconds_total ", "process_resident_memory_bytes ",
        "counterfoil_database_bytes ", "counterfoil_disk_free_bytes ",
        "counterfoil_transactions_total{outcome=\"applied\"} ", "counterfoil_commit_seconds_count ",
      ] {
        #expect(text.contains("\n" + name), "\(name)")
      }
      #expect(text.split(separator: "\n").filter { !$0.hasPrefix("#") }.count < 3000)
    }
  }
}
