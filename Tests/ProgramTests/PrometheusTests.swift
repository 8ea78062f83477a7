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
  @Test func `name in each rule only metrics that exist, and each alert has a page in both languages`() throws {
    let rules = try Promtool.text(Promtool.rules)
    let names = Set(
      rules.matches(of: /counterfoil_[a-z_]+/).map { match in
        let name = String(match.output)
        return name.hasSuffix("_bucket") ? String(name.dropLast("_bucket".count)) : name
      })
    #expect(names.count >= 15)
    #expect(names.subtracting(Metric.allCases.map(\.rawValue)) == [])
    let alerts = try Promtool.alerts(in: rules + Promtool.text(Promtool.objectives))
    #expect(alerts.count == 26)
    for page in ["/docs/alerts.md", "/docs/alerts.zh-CN.md"] {
      let headings = try Promtool.text(Promtool.root + page).split(separator: "\n").filter { $0.hasPrefix("## ") }
      #expect(headings.map { String($0.dropFirst(3)) } == alerts, "\(page)")
    }
  }

  @Test func `of objectives use bounds that exist`() throws {
    let objectives = try Promtool.text(Promtool.objectives)
    for (metric, bound) in [(Metric.purchaseToGrantSeconds, 5), (.grantToAcknowledgedSeconds, 60)] {
      let metrics = Metrics()
      metrics.time(metric, milliseconds: 1)
      #expect(metrics.text().contains("\(metric.rawValue)_bucket{le=\"\(bound)\"} 1\n"))
      #expect(objectives.contains("\(metric.rawValue)_bucket{environment=\"production\",le=~\"\(bound)([.]0)?\"}"))
    }
  }

  @Test(.enabled(if: Promtool.path != nil, Promtool.absent), .timeLimit(.minutes(3)), arguments: ["rules", "slo"])
  func `fire when they should and are quiet when they should be`(file: String) async throws {
    let (rules, cases) = ("\(Promtool.folder)\(file).yml", "\(Promtool.folder)\(file).test.yml")
    let checked = try await Promtool.run("check rules \(rules)")
    #expect(checked.code == 0, "\(checked.text)")
    let played = try await Promtool.run("test rules \(cases)")
    #expect(played.code == 0, "\(played.text)")
    let text = try Promtool.text(cases)
    for alert in try Promtool.alerts(in: Promtool.text(rules)) {
      for (expected, lack) in [("\\[\\{", "never fires"), ("\\[\\]", "is never quiet")] {
        let tried = try Regex("alertname: \(alert)\\n +exp_alerts: \(expected)")
        #expect(text.contains(tried), "\(alert) \(lack)")
      }
    }
  }

  @Test(.enabled(if: Promtool.path != nil, Promtool.absent), .timeLimit(.minutes(5)))
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
      let checked = try await Promtool.run("check metrics < \(file)")
      #expect(checked.code == 0 && checked.text == "", "\(checked.text)")
      let text = String(decoding: answer.body, as: UTF8.self)
      for name in [
        "counterfoil_build_info{", "process_cpu_seconds_total ", "process_resident_memory_bytes ",
        "counterfoil_database_bytes ", "counterfoil_disk_free_bytes ",
        "counterfoil_transactions_total{outcome=\"applied\"} ", "counterfoil_commit_seconds_count ",
        "counterfoil_deliveries_pending{", "counterfoil_payments_waiting{", "counterfoil_store_writable 1",
      ] {
        #expect(text.contains("\n" + name), "\(name)")
      }
      let series = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
      #expect(series.count < 3000)
      for line in series {
        let head = try #require(line.prefixMatch(of: #/(\w+)(?:\{(.*)\})? /#), "\(line)")
        let labels = Set((head.output.2 ?? "").matches(of: /(\w+)="(?:\\.|[^"\\])*"/).map { String($0.output.1) })
        #expect(labels == MetricExpression.series[String(head.output.1)], "\(line)")
      }
    }
  }
}
