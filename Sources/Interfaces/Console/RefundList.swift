import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Refunds at WeChat Pay of the last 31 days, the oldest first.
struct RefundList {
  static let states = ["asked", "underWay", "done", "failed", "stuck"]

  let visit: AppVisit
  let refunds: [Refund]
  let next: String?
  let isFirst: Bool

  var markup: Markup {
    let language = visit.language
    let rows = refunds.map { refund -> [Markup] in
      [
        .element(.span, [.style("id")], .text(refund.number)), Display.time(refund.createdAt),
        Display.id(refund.payment.transaction.text, to: visit.link(to: refund.payment)),
        .text(Display.text(refund.amount)), .text(Display.text(refund.total)), .foreign(refund.reason ?? "–"),
        Display.tag(Self.name(of: refund.state)[language], Self.tone(of: refund.state)),
      ]
    }
    let kept = ["state", "environment"].compactMap { name in visit.visit.query(name).map { (name: name, value: $0) } }
    let filters = ListFilters(
      choices: [
        .init(name: "state", label: Words.state, values: Self.states, words: Words.states),
        ConsolePages.environments,
      ], target: visit.link("refunds"), exportsTo: "refunds.csv")
    return .element(.div, [.style("head")], .element(.h1, .text(Words.refunds[language])))
      + .element(.p, .text(Self.apple[language]))
      + ListPanel.table(
        [
          BilingualText("Number", "退款单号"), Words.created, Words.payment, Words.amount, BilingualText("Of", "原金额"),
          Words.reason, Words.state,
        ], rows, title: Words.refunds, in: language, filters: filters.markup(visit),
        next: next.map { visit.link("refunds", query: kept + [("after", $0)]) },
        first: isFirst ? nil : visit.link("refunds", query: kept))
  }

  private static let apple = BilingualText(
    "Refunds at WeChat Pay of the last 31 days. Apple alone refunds what Apple was paid: customers ask at"
      + " reportaproblem.apple.com.",
    "最近 31 天的微信支付退款。Apple 收取的款项只能由 Apple 退还：请用户访问 reportaproblem.apple.com。")

  static func name(of state: Refund.State) -> BilingualText {
    switch state {
    case .asked: BilingualText("asked", "已申请")
    case .underWay: BilingualText("under way", "处理中")
    case .done: BilingualText("done", "已退款")
    case .failed(let reason): BilingualText("failed: \(reason)", "失败：\(reason)")
    case .stuck: BilingualText("stuck", "受阻")
    }
  }

  private static func tone(of state: Refund.State) -> Tone {
    switch state {
    case .asked, .underWay: .warn
    case .done: .ok
    case .failed, .stuck: .bad
    }
  }

  /// `1764071234567.R0123…`, as it stands in an address.
  static func text(_ position: (date: Timestamp, number: String)) -> String {
    "\(position.date.milliseconds).\(position.number)"
  }

  static func position(_ text: String) -> (date: Timestamp, number: String)? {
    let parts = text.split(separator: ".", maxSplits: 1)
    guard parts.count == 2, let moment = Int64(parts[0]) else { return nil }
    return (Timestamp(milliseconds: moment), String(parts[1]))
  }
}

extension AppVisit {
  /// The forms that send stuck refunds to a bank account, for those of the app's own environment.
  func redirections(of refunds: [Refund]) -> [Markup] {
    refunds.filter { $0.state == .stuck && $0.appEnvironment == app.homeEnvironment }
      .map { form(.redirect, on: ["refunds", $0.number], about: $0.number) }
  }
}
