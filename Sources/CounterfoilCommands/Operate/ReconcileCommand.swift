import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentStore
import PaymentVocabulary
import SQLiteStore
import StrictJSON

/// `counterfoil reconcile`: compares the ledger with a store's bill, now.
enum ReconcileCommand {
  static let command = Command.of(
    "reconcile", BilingualText("compare the ledger with a store's bill", "与商店账单对账"),
    usage: """
      usage: counterfoil reconcile --store wechat-pay --date YYYY-MM-DD [--app ID] [--report text|json|csv] [OPTIONS]

      Compares our ledger with WeChat Pay's trade bill of a Beijing day, both ways. A payment that nobody told us of is
      asked for and granted; every other difference is named. A running server does the same by itself each morning;
      while one runs, it is asked to, by --server and an operator's key in COUNTERFOIL_OPERATOR_KEY.

        --store NAME        wechat-pay
        --date DAY          the day; bills are out from 10:00 of the next one
        --app ID            which app, where the configuration has several
        --report FORM       text (as usual), json, or csv
        --server URL        ask the running server at that address
      \(ServerFlags.usage)

      Exit codes: 0 equal or put right, 1 differences are left or there is no bill yet, 2 wrong usage.

      """,
    valued: ServerFlags.valued + ["store", "date", "app", "report", "server"]
  ) { options, doors in
    guard try options.one("store") == "wechat-pay" else { throw UsageError("--store must be wechat-pay.") }
    guard let day = try options.one("date"), day.utf8.count == 10, Timestamp(iso8601: day + "T00:00:00Z") != nil else {
      throw UsageError("--date must be a day: 2025-10-09.")
    }
    guard let form = ReportForm(rawValue: try options.one("report") ?? "text") else {
      throw UsageError("--report must be text, json or csv.")
    }
    let json: JSONValue
    if let server = try options.one("server") {
      json = try await asked(of: server, day, doors)
    } else {
      json = try await compared(day, try options.one("app"), options, doors)
    }
    let report = ShownReport(json)
    doors.print(form.text(of: report, CounterfoilProgram.language(doors)))
    return report.differences == 0 ? ExitCode.done : ExitCode.failed
  }

  /// Opens the database and does the work here; a running server holds the database, and is named then.
  private static func compared(
    _ day: String, _ named: String?, _ options: Options, _ doors: Doors
  ) async throws -> JSONValue {
    let configuration = try await ChosenConfiguration.of(options, doors)
    let apps = configuration.apps.filter { app in
      app.weChatPay != nil && (named.map { app.id == AppIdentifier($0) } ?? true)
    }
    guard let app = apps.first else { throw UsageError("no such app sells through WeChat Pay.") }
    guard apps.count == 1 else { throw UsageError("several apps sell through WeChat Pay: name one with --app.") }
    let assembly = try await ServerAssembly.open(configuration, holder: "counterfoil reconcile", isQuiet: true, doors)
    let outcome: ReconciliationOutcome
    do { outcome = try await assembly.engine.reconcileWeChatPay(day, for: app) } catch {
      await assembly.store.close()
      throw error
    }
    await assembly.store.close()
    switch outcome {
    case .compared(let report): return report.json
    case .later(let why): throw CommandFailure("there is no bill of \(day) to compare with: \(why)")
    }
  }

  private static func asked(of server: String, _ day: String, _ doors: Doors) async throws -> JSONValue {
    guard let key = doors.environment("COUNTERFOIL_OPERATOR_KEY"), !key.isEmpty else {
      throw UsageError("--server needs an operator's key in COUNTERFOIL_OPERATOR_KEY.")
    }
    var request = HTTPRequest(
      "POST", server + "/v1/operator/reconciliations",
      fields: ["Authorization": "Bearer " + key, "Content-Type": "application/json"])
    request.body = JSONValue.members([("store", "weChatPay"), ("day", .string(day))]).bytes
    let response = try await doors.exchange(.anywhere).send(request, .minutes(5))
    let answer = try JSONReader.read(response.body, limits: JSONLimits(bytesMax: 64 << 20))
    guard response.status == 200 else {
      let words = [answer["title"]?.string, answer["detail"]?.string, answer["remedy"]?.string]
      throw CommandFailure(
        "\(server) answered \(response.status). " + words.compactMap(\.self).joined(separator: " "))
    }
    return answer
  }
}

/// A report as it is shown, made here or by a server.
struct ShownReport {
  let json: JSONValue

  init(_ json: JSONValue) { self.json = json }

  var differences: Int64 { json["differences"]?.integer ?? 0 }
  var findings: [JSONValue] { json["findings"]?.array ?? [] }

  func text(_ names: String...) -> String {
    var value: JSONValue? = json
    for name in names { value = value?[name] }
    return value?.string ?? value?.integer.map { "\($0)" } ?? ""
  }
}

/// The forms of a report.
enum ReportForm: String {
  case text, json, csv

  private static let columns = [
    "kind", "healed", "orderId", "transactionId", "refund", "billAmount", "ourAmount", "details",
  ]

  func text(of report: ShownReport, _ language: Language) -> String {
    switch self {
    case .json: report.json.text + "\n"
    case .csv: csv(report)
    case .text: words(report, language)
    }
  }

  /// RFC 4180; amounts in fen.
  private func csv(_ report: ShownReport) -> String {
    let lines = report.findings.map { finding in
      Self.columns.map { Self.field(Self.shown(finding[$0])) }.joined(separator: ",")
    }
    return ([Self.columns.joined(separator: ",")] + lines).map { $0 + "\r\n" }.joined()
  }

  private static func shown(_ value: JSONValue?) -> String {
    if case .bool(let flag) = value { return flag ? "true" : "false" }
    return value?.string ?? value?.integer.map { "\($0)" } ?? ""
  }

  /// Quoted where it must be; what a spreadsheet would take for a formula begins with an apostrophe.
  private static func field(_ text: String) -> String {
    let safe = text.utf8.first.map { [0x3D, 0x2B, 0x2D, 0x40].contains($0) } == true ? "'" + text : text
    guard safe.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return safe }
    return "\"" + safe.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  private func words(_ report: ShownReport, _ language: Language) -> String {
    let head = BilingualText(
      """
      \(report.text("app")), WeChat Pay, \(report.text("day")) (Beijing)
        payments in the bill  \(report.text("payments", "count")), \(report.text("payments", "amount")) fen
        refunds in the bill   \(report.text("refunds", "count")), \(report.text("refunds", "amount")) fen
        other systems' lines  \(report.text("foreignLines"))
        put right now         \(report.text("healed"))
        differences left      \(report.text("differences"))

      """,
      """
      \(report.text("app"))，微信支付，\(report.text("day"))（北京时间）
        账单中的支付    \(report.text("payments", "count")) 笔，\(report.text("payments", "amount")) 分
        账单中的退款    \(report.text("refunds", "count")) 笔，\(report.text("refunds", "amount")) 分
        其他系统的行    \(report.text("foreignLines"))
        本次已补正      \(report.text("healed"))
        剩余差异        \(report.text("differences"))

      """)
    let lines = report.findings.map { finding in
      let parts = Self.columns.map { name in (name, Self.shown(finding[name])) }.filter { !$0.1.isEmpty }
      return "  " + parts.map { $0 == "kind" ? $1 : "\($0)=\($1)" }.joined(separator: " ") + "\n"
    }
    return head[language] + lines.joined()
  }
}
