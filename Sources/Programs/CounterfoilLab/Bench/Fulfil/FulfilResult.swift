import CounterfoilCLI
import PaymentPrimitives

/// The cost of a number of operations.
struct FulfilCost: Sendable {
  let count: Int
  /// Nanoseconds of wall time.
  let wall: UInt64
  /// Nanoseconds of processor time.
  let processor: UInt64

  var perSecond: Double { Double(count) * 1e9 / Double(max(wall, 1)) }
  /// Microseconds of processor time for one operation.
  var microseconds: Double { Double(processor) / 1000 / Double(max(count, 1)) }
}

/// The measurements of one round, in order.
struct FulfilRound: Sendable {
  /// The bare loop with each of `FulfilBench.batches`, in their order.
  let bare: [FulfilCost]
  let engine: FulfilCost
  let verify: FulfilCost
  let json: FulfilCost
  let http: FulfilCost
  let echo: FulfilCost

  /// Row 4: the cost of the separate parts, divided by the total cost.
  var overHTTP: Double { (echo.microseconds + verify.microseconds + engine.microseconds) / http.microseconds }
}

struct FulfilResult: Sendable {
  let store: Store
  let orders: Int
  let statements: Double
  var rounds: [FulfilRound] = []

  func ratios(_ figure: (FulfilRound) -> Double) -> Ratios { Ratios(rounds.map(figure)) }

  /// The best batch size for the bare loop: by its median, so that one lucky run does not decide.
  var best: Int {
    FulfilBench.batches.indices.max { a, b in
      ratios(\.bare[a].perSecond).median < ratios(\.bare[b].perSecond).median
    } ?? 0
  }

  // MARK: Report

  func print(to report: BenchReport, wantsProfile: Bool) {
    report.note(
      "\(store.rawValue): \(orders) paid purchases, fulfilled in each of \(rounds.count) rounds by a bare loop of the "
        + "same SQL, by the engine, and over HTTP, in turn. All runs reconcile: paid = granted = deliveries made, "
        + "nothing doubled, the audit finds nothing. Medians of the rounds; in brackets the range.")
    let (best, name) = (best, store == .appStore ? "App Store" : "WeChat Pay")
    let row3 = ratios { $0.engine.perSecond / $0.bare[best].perSecond }
    report.row(
      .inProcess, "durable fulfilments in process (\(name)), against a bare loop of the same SQL at its best batch",
      ratios: row3)
    report.detail("a second by the engine", ratios(\.engine.perSecond))
    for (position, batch) in FulfilBench.batches.enumerated() {
      report.detail("a second by the bare loop, \(batch) in a commit", ratios(\.bare[position].perSecond))
    }
    report.detail(
      "the same ratio in processor time, which no slow disk reaches",
      ratios { $0.bare[best].microseconds / $0.engine.microseconds })
    report.detail(
      "µs of processor time to check the store's signature, which row 3 leaves out", ratios(\.verify.microseconds))
    if wantsProfile || !BenchRow.inProcess.bounds.isMet(by: row3.median) { profileInProcess(report) }
    let row4 = ratios(\.overHTTP)
    report.row(
      .overHTTP,
      "the same over HTTP (\(name)), against echo + signature check + fulfilment in process (processor time)",
      ratios: row4)
    report.detail("µs of processor time over HTTP", ratios(\.http.microseconds))
    report.detail("µs for an echo of the same sizes", ratios(\.echo.microseconds))
    report.detail("µs for a signature check", ratios(\.verify.microseconds))
    report.detail("µs for a fulfilment in process", ratios(\.engine.microseconds))
    report.detail("a second over HTTP, beside the client on the same machine", ratios(\.http.perSecond))
    if wantsProfile || !BenchRow.overHTTP.bounds.isMet(by: row4.median) { profileOverHTTP(report) }
  }

  private func profileInProcess(_ report: BenchReport) {
    let best = best
    let parts: [(String, (FulfilRound) -> Double)] = [
      ("SQLite itself: the \(statements) statements and their commit", \.bare[best].microseconds),
      (
        "what the engine adds: rules, rows as values, smaller commits, hops",
        { $0.engine.microseconds - $0.bare[best].microseconds }
      ),
    ]
    profile(report, row: 3, whole: \.engine.microseconds, parts)
  }

  private func profileOverHTTP(_ report: BenchReport) {
    let best = best
    let parts: [(String, (FulfilRound) -> Double)] = [
      ("HTTP: an echo of the same sizes", \.echo.microseconds),
      ("the store's signature", \.verify.microseconds),
      ("SQLite itself", \.bare[best].microseconds),
      (
        "what the engine adds: rules, rows as values, smaller commits, hops",
        { $0.engine.microseconds - $0.bare[best].microseconds }
      ),
      ("JSON of the request's body", \.json.microseconds),
      (
        store == .weChatPay
          ? "all else: keeping the notification, routing, answer, smaller batches"
          : "all else: user token, routing, answer, smaller batches",
        {
          $0.http.microseconds - $0.echo.microseconds - $0.verify.microseconds - $0.engine.microseconds
            - $0.json.microseconds
        }
      ),
    ]
    profile(report, row: 4, whole: \.http.microseconds, parts)
  }

  private func profile(
    _ report: BenchReport, row: Int, whole: (FulfilRound) -> Double, _ parts: [(String, (FulfilRound) -> Double)]
  ) {
    let costs = parts.map { (name: $0.0, cost: ratios($0.1)) }
    for part in costs { report.detail("row \(row), µs of processor time: \(part.name)", part.cost) }
    guard let dearest = costs.max(by: { $0.cost.median < $1.cost.median }) else { return }
    let percent = Int((dearest.cost.median * 100 / max(ratios(whole).median, 0.001)).rounded())
    report.note("row \(row): \(percent) % of the processor time is \(dearest.name).")
  }
}
