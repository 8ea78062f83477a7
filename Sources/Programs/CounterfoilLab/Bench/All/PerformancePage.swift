import PaymentPrimitives

/// The page `docs/performance.md`: what was measured on one machine, how, and what limits it.
struct PerformancePage {
  private var reports: [(name: String, report: BenchReport)] = []

  mutating func add(_ name: String, _ report: BenchReport) { reports.append((name, report)) }

  func text(writtenAt now: Timestamp) -> String {
    ([introduction(now), rows] + reports.map { section($0.name, $0.report) }).joined(separator: "\n\n") + "\n"
  }

  private func introduction(_ now: Timestamp) -> String {
    """
    # Performance

    `make bench` has written this page on \(now.iso8601.prefix(10)); run it again to measure your machine. The rows
    and their bounds are those of [the numbers](specification/numbers.md).

    **Method.** Each figure is a ratio within one run: what is compared runs in turn, round after round, and the median
    of the rounds counts; brackets hold the least and the most. Where load comes over HTTP, it comes from a second
    process, so the processor time is the server's alone. A figure counts only if its run reconciles: paid = granted =
    deliveries made, nothing doubled, and the audit finds nothing. Single rates and times depend on the machine; read
    the ratios.

    **Verdicts.** A bench watches how much of the cores other programs use, for half a second before it begins and while
    it runs. With more than \(Int(BenchConditions.othersMax * 100)) % it prints its figures and gives no verdict: the
    least value and the aim of a row lie at least 12 % apart, so a smaller disturbance cannot turn one into the other
    ([record 173](decisions/0173-no-verdict-on-a-busy-machine.md)).
    """
  }

  private var rows: String {
    var lines = [
      "## The rows", "", "| row | what | measured | asked | aim | verdict | what limits it |",
      "|---|---|---|---|---|---|---|",
    ]
    for (_, report) in reports {
      for row in report.rows {
        let bounds = row.row.bounds
        let sign = bounds.isAtMost ? "≤" : "≥"
        let cells = [
          "\(bounds.number)", row.name, BenchReport.text(row.ratios), "\(sign) \(BenchReport.decimal(bounds.bound))",
          "\(sign) \(BenchReport.decimal(bounds.aim))",
          BenchReport.verdict(on: row, report.conditions?.disturbance), row.row.limit,
        ]
        lines.append("| " + cells.joined(separator: " | ") + " |")
      }
    }
    return lines.joined(separator: "\n")
  }

  private func section(_ name: String, _ report: BenchReport) -> String {
    var lines = ["## `counterfoil-lab \(name)`", ""]
    if let conditions = report.conditions {
      lines += ["Machine: \(conditions.text)" + (conditions.disturbance.map { " No verdict: \($0)." } ?? ""), ""]
    }
    lines += report.lines.flatMap { line -> [String] in
      if case .note(let sentence) = line { [sentence, ""] } else { [] }
    }
    lines += ["| figure | value |", "|---|---|"]
    for line in report.lines {
      switch line {
      case .note: break
      case .row(let row):
        lines.append("| row \(row.row.bounds.number): \(row.name) | \(BenchReport.text(row.ratios)) |")
      case .detail(let name, let ratios): lines.append("| \(name) | \(BenchReport.text(ratios)) |")
      case .reference(let name, let value): lines.append("| \(name) | \(value) |")
      }
    }
    return lines.joined(separator: "\n")
  }
}

extension BenchRow {
  /// What a row consists of, so that a reader knows where more could be gained.
  fileprivate var limit: String {
    switch self {
    case .signedTransactions: "one P-256 verification, which OpenSSL does; then Base64URL and JSON"
    case .receipts: "one RSA verification with a chain that is known; then reading the receipt"
    case .inProcess: "the statements of SQLite and the log of each commit"
    case .overHTTP: "the fulfilment itself; then smaller commits than in process, the user's token, the answer"
    case .grownFulfilment, .grownQuestion: "pages of the indexes that are not in memory"
    case .bogusToken: "reading the token until the first check fails"
    case .flood: "the checks of chains that are allowed to strangers, on the same cores"
    case .notification: "one commit, which waits for the disk"
    case .memory: "the program and its libraries"
    case .start: "loading the program, opening the database, and the first connection"
    }
  }
}
