import PaymentPrimitives

extension Metric {
  /// The page `docs/reference/metrics.md`.
  package static var page: String {
    let rows = allCases.map { metric in
      let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
      let help = "\(metric.help.english)<br>\(metric.help.chinese)"
      return "| `\(metric.rawValue)` | \(metric.kind.rawValue) | \(labels) | \(help) |"
    }
    return """
      # Metrics

      `GET /metrics` gives Prometheus text, to an operator's key or to this machine.
      `GET /metrics` 返回 Prometheus 文本，供运维密钥或本机读取。

      No label holds a user, an order, a transaction or an address. 标签中不含用户、订单、交易或地址。

      This page is generated from the sources: `make errors` writes it. 本页由源码生成。

      | name | kind | labels | what |
      |---|---|---|---|
      \(rows.joined(separator: "\n"))

      """
  }
}
