import PaymentPrimitives
import StrictJSON

/// A report for output, made here or by a server.
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

  static func shown(_ value: JSONValue?) -> String {
    if case .bool(let flag) = value { return flag ? "true" : "false" }
    return value?.string ?? value?.integer.map { "\($0)" } ?? ""
  }

  /// Quoted if necessary; text that a spreadsheet would read as a formula begins with an apostrophe.
  private static func field(_ text: String) -> String {
    let safe = text.utf8.first.map { [0x3D, 0x2B, 0x2D, 0x40].contains($0) } == true ? "'" + text : text
    guard safe.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return safe }
    return "\"" + safe.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  private func words(_ report: ShownReport, _ language: Language) -> String {
    let head = report.text("store") == "appStore" ? Self.appStoreHead(report) : Self.weChatPayHead(report)
    let lines = report.findings.map { finding in
      let parts = Self.columns.map { name in (name, Self.shown(finding[name])) }.filter { !$0.1.isEmpty }
      return "  " + TerminalText.line(parts.map { $0 == "kind" ? $1 : "\($0)=\($1)" }.joined(separator: " ")) + "\n"
    }
    return head[language] + lines.joined() + FundFlowText(report)[language]
  }

  private static func appStoreHead(_ report: ShownReport) -> BilingualText {
    let stopped = report.text("stoppedBy")
    return BilingualText(
      """
      \(report.text("app")), App Store
        notifications read    \(report.text("notifications"))
        customers read        \(report.text("customers")), \(report.text("transactions")) transactions
        orders gone quiet     \(report.text("quietOrders"))
        subscriptions asked   \(report.text("lines"))
        put right now         \(report.text("healed"))
        differences left      \(report.text("differences"))
      \(stopped.isEmpty ? "" : "  stopped, goes on there \(stopped)\n")
      """,
      """
      \(report.text("app"))，App Store
        已读通知        \(report.text("notifications")) 条
        已读客户        \(report.text("customers")) 位，\(report.text("transactions")) 笔交易
        无消息的订单    \(report.text("quietOrders")) 个
        查询的订阅      \(report.text("lines")) 个
        本次已补正      \(report.text("healed"))
        剩余差异        \(report.text("differences"))
      \(stopped.isEmpty ? "" : "  已中断，下次继续 \(stopped)\n")
      """)
  }

  private static func weChatPayHead(_ report: ShownReport) -> BilingualText {
    BilingualText(
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
  }
}
