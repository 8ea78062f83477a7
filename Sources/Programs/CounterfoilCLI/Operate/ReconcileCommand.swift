import AppStoreIntegration
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import StrictJSON
import WeChatPayIntegration

/// `counterfoil reconcile`: compares the ledger with a store's own records, now.
enum ReconcileCommand {
  static let command = Command.of(
    "reconcile", BilingualText("compare the ledger with a store's own records", "与商店的记录对账"),
    usage: """
      usage: counterfoil reconcile --store wechat-pay --date YYYY-MM-DD [--app ID] [--report text|json|csv] [OPTIONS]
             counterfoil reconcile --store app-store [--app ID] [--report text|json|csv] [OPTIONS]

      Compares our ledger with WeChat Pay's trade bill of a Beijing day, both ways, or with Apple's own records: the
      history of notifications, and the histories of customers who are due or have orders without updates. A payment
      that was never reported is granted, and a refund is taken back. Every other difference is listed. A running server
      does the same by itself. To start it there, use --server and an operator's key in COUNTERFOIL_OPERATOR_KEY.

        --store NAME        wechat-pay or app-store
        --date DAY          for WeChat Pay: the day; bills are available from 10:00 of the next day
        --app ID            which app, if the configuration has several
        --report FORM       text (default), json, or csv
        --server URL        ask the running server at that address
      \(ServerFlags.usage)

      Exit codes: 0 equal or put right, 1 differences are left, there is no bill yet, or Apple did not answer to the
      end; 2 wrong usage.

      """,
    valued: ServerFlags.valued + ["store", "date", "app", "report", "server"]
  ) { options, platform in
    let subject: Subject
    switch try options.one("store") {
    case "wechat-pay"?:
      guard let day = try options.one("date"), day.utf8.count == 10, Timestamp(iso8601: day + "T00:00:00Z") != nil
      else { throw UsageError("--date must be a day: 2025-10-09.") }
      subject = .bill(day: day)
    case "app-store"?:
      guard try options.one("date") == nil else { throw UsageError("--date is for WeChat Pay's bills.") }
      subject = .appleRecords
    default: throw UsageError("--store must be wechat-pay or app-store.")
    }
    guard let form = ReportForm(rawValue: try options.one("report") ?? "text") else {
      throw UsageError("--report must be text, json or csv.")
    }
    let json: JSONValue
    if let server = try options.one("server") {
      json = try await asked(of: server, subject, platform)
    } else {
      json = try await compared(subject, try options.one("app"), options: options, platform: platform)
    }
    let report = ShownReport(json)
    platform.print(form.text(of: report, CommandLineProgram.language(platform)))
    return report.differences == 0 && report.text("stoppedBy").isEmpty ? ExitCode.done : ExitCode.failed
  }

  /// The records for the comparison with the ledger.
  private enum Subject {
    case bill(day: String)
    case appleRecords

    var store: String {
      switch self {
      case .bill: "WeChat Pay"
      case .appleRecords: "the App Store, with a key for Apple's servers"
      }
    }

    func fits(_ app: AppSettings) -> Bool {
      switch self {
      case .bill: app.weChatPay != nil
      case .appleRecords: app.appStore?.server != nil
      }
    }

    var request: JSONValue {
      switch self {
      case .bill(let day): .members([("store", "weChatPay"), ("day", .string(day))])
      case .appleRecords: .members([("store", "appStore")])
      }
    }
  }

  /// Opens the database and compares here. If a running server holds the database, the error names that server.
  private static func compared(
    _ subject: Subject, _ named: String?, options: Options, platform: Platform
  ) async throws -> JSONValue {
    let configuration = try await ChosenConfiguration.of(options, platform)
    let apps = configuration.apps.filter { app in
      subject.fits(app) && (named.map { app.id == AppIdentifier($0) } ?? true)
    }
    guard let app = apps.first else { throw UsageError("no such app sells through \(subject.store).") }
    guard apps.count == 1 else { throw UsageError("several apps sell through \(subject.store): name one with --app.") }
    let assembly = try await ServerAssembly.open(
      configuration, holder: "counterfoil reconcile", isQuiet: true, platform)
    do {
      let report = try await report(of: subject, app.policy, assembly.engine)
      await assembly.database.close()
      return report
    } catch {
      await assembly.database.close()
      throw error
    }
  }

  private static func report(
    of subject: Subject, _ app: AppPolicy, _ engine: PaymentEngine
  ) async throws -> JSONValue {
    switch subject {
    case .appleRecords: return try await engine.reconcileAppStore(app).json
    case .bill(let day):
      switch try await engine.reconcileWeChatPay(day, for: app) {
      case .compared(let report): return report.json
      case .later(let why): throw CommandFailure("there is no bill of \(day) to compare with: \(why)")
      }
    }
  }

  private static func asked(of server: String, _ subject: Subject, _ platform: Platform) async throws -> JSONValue {
    guard let key = platform.environment("COUNTERFOIL_OPERATOR_KEY"), !key.isEmpty else {
      throw UsageError("--server needs an operator's key in COUNTERFOIL_OPERATOR_KEY.")
    }
    var request = HTTPRequest(
      "POST", server + "/v1/operator/reconciliations",
      fields: ["Authorization": "Bearer " + key, "Content-Type": "application/json"])
    request.body = subject.request.bytes
    let response = try await platform.exchange(.anywhere).send(request, .minutes(5))
    let answer = try JSONReader.read(response.body, limits: JSONLimits(bytesMax: 64 << 20))
    guard response.status == 200 else {
      let words = [answer["title"]?.string, answer["detail"]?.string, answer["remedy"]?.string]
      throw CommandFailure(
        "\(server) answered \(response.status). " + words.compactMap(\.self).joined(separator: " "))
    }
    return answer
  }
}
