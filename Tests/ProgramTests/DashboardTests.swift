import Foundation
import Testing

/// `ops/grafana/counterfoil.json`, which Grafana itself cannot try here.
@Suite struct `The dashboard` {
  private static func dashboard(_ text: String) throws -> Dashboard {
    try Dashboard(
      text, alertRules: Promtool.text(Promtool.rules), objectives: Promtool.text(Promtool.objectives))
  }

  @Test(arguments: [
    (#""schemaVersion": 39"#, #""schemaVersion": 36"#, "schemaVersion is below 39"),
    (#""type": "datasource""#, #""type": "constant""#, "not one variable of a datasource"),
    (#""name": "app""#, #""name": "bundle""#, "other variables"),
    (#""title": "Backend""#, #""title": "Back""#, "other rows"),
    (#""id": 3,"#, #""id": 2,"#, "Oldest undelivered: the id is used twice"),
    (#""x": 12,"#, #""x": 11,"#, "Oldest undelivered: lies over another"),
    (#""x": 12,"#, #""x": 13,"#, "Oldest undelivered: lies outside"),
    (#""title": "Oldest undelivered""#, #""title": """#, "no title"),
    ("Bad: more than five minutes", "More than five minutes", "no description that says what is bad"),
    ("Alert CounterfoilUndelivered", "Alert CounterfoilLate", "no alert CounterfoilLate"),
    ("Alert CounterfoilUndelivered", "", "no panel shows CounterfoilUndelivered"),
    (#""unit": "cpm""#, #""unit": """#, "no unit"),
    (#""type": "timeseries""#, #""type": "marcusolsson-treemap-panel""#, "needs a plugin"),
    (#""value": 300"#, #""value": 301"#, "no threshold where CounterfoilUndelivered has one"),
    (#""value": 1\#n"#, #""value": 2\#n"#, "no threshold where CounterfoilChangesStopped has one"),
    ("counterfoil_orders_created_total", "counterfoil_orders_made_total", "no metric counterfoil_orders_made_total"),
    (
      "counterfoil_commit_seconds_bucket", "counterfoil_commit_seconds",
      "no metric counterfoil_commit_seconds"
    ),
    ("ratio28d", "ratio30d", "no metric counterfoil:grants_late:ratio30d"),
    (
      "counterfoil_wechat_pay_calls_total{outcome", "counterfoil_wechat_pay_calls_total{app",
      "no label app of counterfoil_wechat_pay_calls_total"
    ),
    ("by (app, store)", "by (app, shop)", "groups by shop, which nothing has"),
    ("by (app, store)", "by (app)", "shows store, which is not left"),
    (#"=~\"$app\""#, #"=~\"$bundle\""#, "no variable bundle"),
    (#""uid": "${datasource}""#, #""uid": "prometheus""#, "another datasource"),
  ])
  func `is refused with`(part: String, other: String, problem: String) throws {
    let text = try Promtool.text(Dashboard.file)
    let broken = text.replacing(part, with: other)
    #expect(broken != text, "nothing is broken")
    let problems = try Self.dashboard(broken).problems
    #expect(problems.contains { $0.contains(problem) }, "\(problems)")
  }

  @Test func `is refused without a panel's queries`() throws {
    let text = try Promtool.text(Dashboard.file).replacing("\"targets\":", with: "\"queries\":")
    #expect(try Self.dashboard(text).problems.contains { $0.hasSuffix("shows nothing") })
  }

  @Test func `has five rows of panels that say what is bad, and names only what exists`() throws {
    #expect(try Self.dashboard(Promtool.text(Dashboard.file)).problems == [])
  }

  @Test(.enabled(if: Promtool.path != nil, Promtool.absent), .timeLimit(.minutes(3)))
  func `has only expressions that Prometheus can read`() async throws {
    let text = try Promtool.text(Dashboard.file)
    for (isGood, text) in [(false, text.replacing("[1h]))", with: "[1h])")), (true, text)] {
      let checked = try await Self.check(Self.dashboard(text).rules)
      #expect((checked.code == 0) == isGood, "\(checked.text)")
      #expect(isGood ? checked.text.contains("rules found") : checked.text.contains("could not parse expression"))
    }
  }

  private static func check(_ rules: String) async throws -> (code: Int32?, text: String) {
    let file = FileManager.default.temporaryDirectory.appending(path: "counterfoil-dashboard-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(rules.utf8).write(to: file)
    return try await Promtool.run("check rules \(file.path)")
  }

  @Test func `shares its names with the rules, which choose and group by labels that exist`() throws {
    for file in [Promtool.rules, Promtool.objectives] {
      let rules = try Promtool.text(file)
      let series = MetricExpression.series.merging(MetricExpression.recorded(in: rules)) { own, _ in own }
      let expressions = rules.matches(of: /expr: (.+)/).map { String($0.output.1) }
      #expect(expressions.count >= 17)
      for expression in expressions {
        #expect(MetricExpression(expression).problems(among: series) == [], "\(expression)")
      }
    }
  }
}
