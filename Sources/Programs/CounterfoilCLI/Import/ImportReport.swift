import PaymentPrimitives
import StrictJSON

/// The result of an import, or of a dry run.
struct ImportReport {
  /// Problems that are shown; all are counted.
  static let problemsMax = 20

  let kind: ImportedRows.Kind
  let isDry: Bool
  var rows = 0
  var bad = 0
  /// Rows that are new.
  var new = 0
  var known = 0
  var conflicts = 0
  /// Existing payments that got their owner, or were decided again.
  var moved = 0
  /// Requests to Apple that were scheduled.
  var asked = 0
  var isImported = false
  private(set) var problems: [(line: Int, what: BilingualText)] = []

  init(_ kind: ImportedRows.Kind, isDry: Bool) {
    self.kind = kind
    self.isDry = isDry
  }

  mutating func note(_ problem: BilingualText, line: Int) {
    if problems.count < Self.problemsMax { problems.append((line, problem)) }
  }

  func json(_ language: Language) -> JSONValue {
    .members([
      ("import", .string(kind.rawValue)), ("dryRun", .bool(isDry)), ("imported", .bool(isImported)),
      ("rows", .integer(rows)), ("bad", .integer(bad)), ("new", .integer(new)), ("known", .integer(known)),
      ("conflicts", kind == .purchases ? .integer(conflicts) : nil),
      ("paymentsMoved", isDry ? nil : .integer(moved)), ("questions", asked > 0 ? .integer(asked) : nil),
      (
        "problems",
        .array(problems.map { .members([("line", .integer($0.line)), ("problem", .string($0.what[language]))]) })
      ),
    ])
  }

  func text(_ language: Language) -> String {
    let conflicts =
      kind == .purchases ? BilingualText("\n  other owner  \(conflicts)", "\n  归属冲突    \(conflicts)") : nil
    let moved = isDry ? nil : BilingualText("\n  payments decided anew  \(moved)", "\n  重新判定的支付  \(moved)")
    let counts = BilingualText(
      "  rows   \(rows)\n  new    \(new)\n  known  \(known)\n  bad    \(bad)",
      "  行数  \(rows)\n  新增  \(new)\n  已有  \(known)\n  无效  \(bad)")
    let asked =
      self.asked == 0
      ? nil : BilingualText("\n  Apple is asked about  \(self.asked)", "\n  将向 Apple 查询  \(self.asked)")
    let lines = problems.map {
      BilingualText("  line \($0.line): \($0.what.english)", "  第 \($0.line) 行：\($0.what.chinese)")
    }
    return counts[language] + (conflicts?[language] ?? "") + (moved?[language] ?? "") + (asked?[language] ?? "") + "\n"
      + lines.map { $0[language] + "\n" }.joined() + outcome[language] + "\n"
  }

  private var outcome: BilingualText {
    if isImported { return BilingualText("Imported.", "已导入。") }
    if isDry { return BilingualText("Nothing was changed: this was a dry run.", "未做任何更改：这是试运行。") }
    return BilingualText(
      "Nothing was imported. Correct the lines, or leave them out with --skip-bad.",
      "未导入任何内容。请改正这些行，或用 --skip-bad 跳过。")
  }
}
