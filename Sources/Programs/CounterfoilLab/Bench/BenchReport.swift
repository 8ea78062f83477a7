import CounterfoilCLI
import StrictJSON

/// What a bench has measured, in order. It is printed once the bench has ended: only then is it known whether the
/// machine was quiet enough to judge it.
final class BenchReport {
  /// A figure of a row, with its bounds.
  struct Row {
    let row: BenchRow
    let name: String
    let ratios: Ratios
    /// Set where the row allows something else besides its bound, and that was reached.
    var alternative: String?
  }

  enum Line {
    case note(String)
    case row(Row)
    case detail(String, Ratios)
    /// A number that is no ratio, such as what the reference alone reaches.
    case reference(String, Int)
  }

  private(set) var lines: [Line] = []
  private(set) var conditions: BenchConditions?

  var rows: [Row] {
    lines.compactMap { if case .row(let row) = $0 { row } else { nil } }
  }

  func note(_ sentence: String) { lines.append(.note(sentence)) }

  func reference(_ name: String, _ value: Int) { lines.append(.reference(name, value)) }

  func row(_ row: BenchRow, _ name: String, ratios: Ratios, alternative: String? = nil) {
    lines.append(.row(Row(row: row, name: name, ratios: ratios, alternative: alternative)))
  }

  func detail(_ name: String, _ ratios: Ratios) { lines.append(.detail(name, ratios)) }

  /// Runs a bench, which fills the report, and prints it.
  ///
  /// - Parameter folder: where the disk is measured; nil if the bench uses no disk.
  func measure(
    isJSON: Bool, in folder: String?, _ platform: Platform, _ body: (BenchReport) async throws -> Void
  ) async throws {
    let conditions = try await BenchConditions.around(in: folder, platform) { try await body(self) }
    self.conditions = conditions
    let disturbance = conditions.disturbance
    for line in lines {
      let text = isJSON ? Self.json(of: line, disturbance).text : Self.text(of: line, disturbance)
      platform.print(text + "\n")
    }
    tell(conditions, isJSON: isJSON, platform)
  }

  private func tell(_ conditions: BenchConditions, isJSON: Bool, _ platform: Platform) {
    let verdict = conditions.disturbance.map { "No verdict: \($0)." }
    if isJSON {
      let value = JSONValue.members([
        ("conditions", .string(conditions.text)), ("noVerdict", verdict.map { .string($0) }),
      ])
      platform.print(value.text + "\n")
    } else {
      platform.print(conditions.text + "\n" + (verdict.map { $0 + "\n" } ?? ""))
    }
  }

  // MARK: Text

  /// What is said about a row: that it is met, that it falls short, or that the machine was too busy to say so.
  static func verdict(on row: Row, _ disturbance: String?) -> String {
    let bounds = row.row.bounds
    if disturbance != nil { return "no verdict" }
    if bounds.reachesAim(row.ratios.median) { return "met, aim reached" }
    if bounds.isMet(by: row.ratios.median) { return "met" }
    return row.alternative.map { "met (\($0))" } ?? "FALLS SHORT"
  }

  private static func text(of line: Line, _ disturbance: String?) -> String {
    switch line {
    case .note(let sentence): return sentence
    case .reference(let name, let value): return "\(value) \(name)"
    case .detail(let name, let ratios): return "       \(text(ratios))  \(name)"
    case .row(let row):
      let bounds = row.row.bounds
      let sign = bounds.isAtMost ? "<=" : ">="
      return "row \(bounds.number)  \(text(row.ratios))  \(row.name): \(verdict(on: row, disturbance)) "
        + "(asked \(sign) \(decimal(bounds.bound)), aim \(sign) \(decimal(bounds.aim)))"
    }
  }

  private static func json(of line: Line, _ disturbance: String?) -> JSONValue {
    switch line {
    case .note(let sentence): return .members([("note", .string(sentence))])
    case .reference(let name, let value): return .members([("name", .string(name)), ("value", .integer(value))])
    case .detail(let name, let ratios): return .members([("name", .string(name))] + figures(ratios))
    case .row(let row):
      let bounds = row.row.bounds
      let isMet = bounds.isMet(by: row.ratios.median) || row.alternative != nil
      return .members(
        [("row", .integer(bounds.number)), ("name", .string(row.name))] + figures(row.ratios) + [
          ("bound", .number(decimal(bounds.bound))), ("aim", .number(decimal(bounds.aim))),
          ("met", disturbance == nil ? .bool(isMet) : nil),
        ])
    }
  }

  private static func figures(_ ratios: Ratios) -> [(String, JSONValue?)] {
    [
      ("median", .number(decimal(ratios.median))), ("least", .number(decimal(ratios.least))),
      ("most", .number(decimal(ratios.most))),
    ]
  }

  static func text(_ ratios: Ratios) -> String {
    ratios.sorted.count == 1
      ? decimal(ratios.median) : "\(decimal(ratios.median)) [\(decimal(ratios.least)), \(decimal(ratios.most))]"
  }

  /// Formats three decimals; the standard library formats no floating point.
  static func decimal(_ value: Double) -> String {
    let thousandths = Int((value * 1000).rounded())
    let digits = String(abs(thousandths) % 1000)
    return (thousandths < 0 ? "-" : "") + "\(abs(thousandths) / 1000)."
      + String(repeating: "0", count: 3 - digits.count) + digits
  }
}
