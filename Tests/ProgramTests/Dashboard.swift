import Foundation
import StrictJSON

/// A dashboard of Grafana, and what is wrong with it.
struct Dashboard {
  static let file = Promtool.root + "/ops/grafana/counterfoil.json"
  static let rows = ["Money", "Stores", "Backend", "Machine", "Operators"]
  /// What Grafana draws without a plugin.
  private static let ownPanels: Set = ["timeseries", "stat", "gauge", "bargauge", "table", "text", "heatmap"]
  private static let width: Int64 = 24

  private let whole: JSONValue
  private let panels: [JSONValue]
  private let alertRules: String
  private let series: [String: Set<String>]

  init(_ text: String, alertRules: String, objectives: String) throws {
    whole = try JSONReader.read(Array(text.utf8))
    panels = whole["panels"]?.array ?? []
    self.alertRules = alertRules + objectives
    series = MetricExpression.series.merging(MetricExpression.recorded(in: objectives)) { own, _ in own }
  }

  /// Each expression with its variables replaced, as a rule that `promtool` can check. JSON is YAML.
  var rules: String {
    let rules = charts.flatMap { panel in
      Self.targets(panel).enumerated().map { index, target in
        JSONValue.members([
          ("record", .string("panel_\(panel["id"]?.integer ?? 0)_\(index)")),
          ("expr", .string(Self.replaced(target["expr"]?.string ?? ""))),
        ])
      }
    }
    let group = JSONValue.members([("name", "dashboard"), ("rules", .array(rules))])
    return JSONValue.members([("groups", .array([group]))]).text
  }

  var problems: [String] {
    frame + places
      + charts.flatMap { panel in
        (words(panel) + expressions(panel) + thresholds(panel)).map { "\(panel["title"]?.string ?? "?"): \($0)" }
      } + unseen
  }

  private var charts: [JSONValue] { panels.filter { $0["type"]?.string != "row" } }

  private static func targets(_ panel: JSONValue) -> [JSONValue] { panel["targets"]?.array ?? [] }

  private static func replaced(_ expression: String) -> String {
    expression.replacing("$__rate_interval", with: "5m").replacing("$environment", with: "production")
      .replacing("$app", with: ".*")
  }

  private var frame: [String] {
    var problems: [String] = []
    if (whole["schemaVersion"]?.integer ?? 0) < 39 { problems.append("schemaVersion is below 39") }
    let variables = whole["templating"]?["list"]?.array ?? []
    if variables.count(where: { $0["type"]?.string == "datasource" }) != 1 {
      problems.append("not one variable of a datasource")
    }
    if variables.compactMap({ $0["name"]?.string }) != ["datasource", "app", "environment"] {
      problems.append("other variables")
    }
    let rows = panels.filter { $0["type"]?.string == "row" }.map { $0["title"]?.string ?? "" }
    if rows != Self.rows { problems.append("other rows: \(rows)") }
    return problems
  }

  private var places: [String] {
    var problems: [String] = []
    var ids: Set<Int64> = []
    var taken: [Int64: Set<Int64>] = [:]
    for panel in panels {
      let title = panel["title"]?.string ?? "?"
      if !ids.insert(panel["id"]?.integer ?? 0).inserted { problems.append("\(title): the id is used twice") }
      let sides = ["x", "y", "w", "h"].map { panel["gridPos"]?[$0]?.integer ?? -1 }
      let (x, y, w, h) = (sides[0], sides[1], sides[2], sides[3])
      guard x >= 0, y >= 0, w > 0, h > 0, x + w <= Self.width, h <= 40 else {
        problems.append("\(title): lies outside")
        continue
      }
      let overlaps = (y..<y + h).contains { !taken[$0, default: []].isDisjoint(with: x..<x + w) }
      if overlaps { problems.append("\(title): lies over another") }
      for line in y..<y + h { taken[line, default: []].formUnion(x..<x + w) }
    }
    return problems
  }

  private func words(_ panel: JSONValue) -> [String] {
    var problems: [String] = []
    if !Self.ownPanels.contains(panel["type"]?.string ?? "") { problems.append("needs a plugin") }
    if panel["title"]?.string?.isEmpty ?? true { problems.append("no title") }
    let description = panel["description"]?.string ?? ""
    if !description.contains(/\w.*\. Bad: \w/) { problems.append("no description that says what is bad") }
    let known = Promtool.alerts(in: alertRules)
    problems += Self.alerts(named: description).filter { !known.contains($0) }.map { "no alert \($0)" }
    if panel["fieldConfig"]?["defaults"]?["unit"]?.string?.isEmpty ?? true { problems.append("no unit") }
    return problems
  }

  private static func alerts(named text: String) -> [String] {
    text.matches(of: /Counterfoil[A-Z]\w+/).map { String($0.output) }
  }

  private func expressions(_ panel: JSONValue) -> [String] {
    let targets = Self.targets(panel)
    var problems = targets.isEmpty ? ["shows nothing"] : []
    for source in [panel["datasource"]] + targets.map({ $0["datasource"] })
    where source?["uid"]?.string != "${datasource}" { problems.append("another datasource") }
    for target in targets {
      let text = target["expr"]?.string ?? ""
      let variables = Set(text.matches(of: /\$(\w+)/).map { String($0.output.1) })
      problems += variables.subtracting(["app", "environment", "__rate_interval"]).sorted().map { "no variable \($0)" }
      let shown = (target["legendFormat"]?.string ?? "").matches(of: /\{\{(\w+)\}\}/).map { String($0.output.1) }
      problems += MetricExpression(Self.replaced(text)).problems(among: series, shown: Set(shown))
    }
    return problems
  }

  /// A line where the alert has its bound. An alert on any at all has it at the first one.
  private func thresholds(_ panel: JSONValue) -> [String] {
    let steps = (panel["fieldConfig"]?["defaults"]?["thresholds"]?["steps"]?.array ?? [])
      .compactMap { step -> Double? in if case .number(let text)? = step["value"] { Double(text) } else { nil } }
    return Self.alerts(named: panel["description"]?.string ?? "").compactMap { alert in
      guard let bound = bound(of: alert) else { return nil }
      let isThere = bound == 0 ? steps.contains { $0 > 0 && $0 <= 1 } : steps.contains { abs($0 - bound) < bound / 1e6 }
      return isThere ? nil : "no threshold where \(alert) has one"
    }
  }

  /// The first number with which an alert compares a metric; none if two things are compared in which one is absent.
  private func bound(of alert: String) -> Double? {
    let rules = alertRules.matches(of: /- alert: (\w+)\n +expr: (.+)/)
    guard let text = rules.first(where: { $0.output.1 == alert })?.output.2, !text.contains(" unless "),
      let match = text.firstMatch(of: /[<>=] ([\d.e]+)(?: \* ([\d.e]+))?/), let number = Double(match.output.1)
    else { return nil }
    return number * (match.output.2.flatMap { Double($0) } ?? 1)
  }

  /// Alerts that no panel shows. The pace of a budget is shown as its share; a server that is down shows nothing.
  private var unseen: [String] {
    let shown = Set(charts.flatMap { Self.alerts(named: $0["description"]?.string ?? "") })
    return Promtool.alerts(in: alertRules)
      .filter { !shown.contains($0) && $0 != "CounterfoilDown" && !$0.contains("Budget") }
      .map { "no panel shows \($0)" }
  }
}
