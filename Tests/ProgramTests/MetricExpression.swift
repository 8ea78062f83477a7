import PaymentEngine

/// The names in an expression of Prometheus: what it reads, by which labels it chooses and groups.
struct MetricExpression {
  struct Selector: Hashable {
    var metric: String
    var labels: Set<String>
  }

  private(set) var selectors: [Selector] = []
  private(set) var groups: Set<String> = []

  init(_ text: String) {
    // A string may hold any word; a range holds units.
    var rest = text.replacing(/"(?:\\.|[^"\\])*"/, with: "\"\"").replacing(/\[[^\]]*\]/, with: "")
    for match in rest.matches(of: /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/) {
      groups.formUnion(match.output.1.matches(of: /\w+/).map { String($0.output) })
    }
    rest = rest.replacing(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/, with: "")
    for match in rest.matches(of: /\b([a-zA-Z_][\w:]*)\s*(\{[^}]*\})?(\s*\()?/) {
      let name = String(match.output.1)
      guard match.output.3 == nil, !["and", "or", "unless", "bool"].contains(name) else { continue }
      let labels = (match.output.2 ?? "").matches(of: /(\w+)\s*(?:=~|!~|!=|=)/).map { String($0.output.1) }
      selectors.append(Selector(metric: name, labels: Set(labels)))
    }
  }

  /// Labels by series: the table of `Metric`, and what Prometheus adds itself.
  static let series: [String: Set<String>] = {
    var series: [String: Set<String>] = ["up": []]
    for metric in Metric.allCases {
      let labels = Set(metric.labels)
      if metric.kind == .histogram {
        series[metric.rawValue + "_bucket"] = labels.union(["le"])
        series[metric.rawValue + "_sum"] = labels
        series[metric.rawValue + "_count"] = labels
      } else {
        series[metric.rawValue] = labels
      }
    }
    return series
  }()

  /// The series that the text of a file of rules records, with the labels that are left.
  static func recorded(in rules: String) -> [String: Set<String>] {
    Dictionary(
      rules.matches(of: /- record: (\S+)\n +expr: (.+)/).map { match in
        (String(match.output.1), MetricExpression(String(match.output.2)).groups)
      }, uniquingKeysWith: { $0.intersection($1) })
  }

  /// What it names that does not exist; `shown` are labels that its legend shows.
  func problems(among series: [String: Set<String>], shown: Set<String> = []) -> [String] {
    let target: Set<String> = ["job", "instance"]
    var problems = selectors.isEmpty ? ["reads no metric"] : []
    var all = target
    for selector in selectors {
      guard let known = series[selector.metric] else {
        problems.append("no metric \(selector.metric)")
        continue
      }
      all.formUnion(known)
      problems += selector.labels.subtracting(known.union(target)).sorted()
        .map { "no label \($0) of \(selector.metric)" }
    }
    problems += groups.subtracting(all).sorted().map { "groups by \($0), which nothing has" }
    problems += shown.subtracting(groups.isEmpty ? all : groups).sorted().map { "shows \($0), which is not left" }
    return problems
  }
}
