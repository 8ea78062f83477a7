import Markup
import PaymentPrimitives
import SimulationKit
import StrictJSON

/// The simulator's page as a value.
struct SimulatorPageMarkup {
  let state: SimulatorPageState
  let said: SimulatorPageActs.Said?
  let language: Language

  private var target: LinkTarget {
    LinkTarget(SimulatorPage.path, query: [("language", language.rawValue)])
  }
  private static let title = BilingualText("Simulator", "模拟器")

  var document: [UInt8] {
    let other: Language = language == .english ? .chinese : .english
    let head = Markup.element(
      .header, [.style("top")],
      .element(.a, [.style("brand"), .link(target)], .text("Counterfoil")),
      .element(
        .div, [.style("end")],
        .element(
          .a,
          [
            .style("quiet"), .of(.lang, other.rawValue),
            .link(LinkTarget(SimulatorPage.path, query: [("language", other.rawValue)])),
          ], .text(BilingualText("中文", "English")[language]))))
    let banner = Markup.element(
      .section, [.style("banner"), .of(.ariaLabel, BilingualText("Environment", "环境")[language])],
      .element(.span, .text(BilingualText("Simulated: no real money moves here.", "模拟环境：这里没有真实资金往来。")[language])))
    return Markup.element(
      .html, [.of(.lang, language.rawValue)],
      .element(
        .head, .element(.meta, [.of(.charset, "utf-8")]),
        .element(.meta, [.of(.name, "viewport"), .of(.content, "width=device-width, initial-scale=1")]),
        .element(.title, .text(Self.title[language] + " · Counterfoil")),
        .element(.link, [.of(.rel, "stylesheet"), .link(LinkTarget(SimulatorPage.path + ["style.css"]))])),
      .element(.body, banner, head, .element(.main, [.of(.id, "content")], content))
    ).document
  }

  private var content: Markup {
    let problem = state.problem.map { notice($0, isGood: false) } ?? Markup()
    return .element(.div, [.style("head")], .element(.h1, .text(Self.title[language])))
      + problem + (said.map { notice($0.text, isGood: $0.isGood) } ?? Markup())
      + .element(
        .div, [.style("cols")],
        .element(.div, [.style("stack")], buying, orders, complaints, transactions),
        .element(.div, [.style("side-col")], clock, faults, scenarios))
  }

  private func notice(_ text: String, isGood: Bool) -> Markup {
    .element(
      .section, [.style(isGood ? "panel notice" : "panel notice bad"), .of(.role, "status")],
      .element(.pre, [.of(.tabindex, "0")], .foreign(text)))
  }

  // MARK: parts

  private var buying: Markup {
    let names = state.products.compactMap { $0["productId"]?.string }.map { ($0, $0) }
    let happenings = TriggerAtServer.Happening.allCases.filter { !$0.isAtWeChatPay }
      .map { ($0.rawValue, $0.meaning[language]) }
    let actions = SimulatorPageActs.visits.map { ($0, Self.visits[$0]?[language] ?? $0) }
    return panel(
      BilingualText("Buy", "购买"),
      form(
        "happen", titled: Self.appStore, button: BilingualText("Do it", "执行"), userField("user-a"),
        select("what", named: "what", label: BilingualText("What happens", "情形"), of: happenings))
        + form(
          "visit", titled: Self.weChatPay, button: BilingualText("Buy", "购买"), userField("user-w"),
          select("product", named: "product", label: BilingualText("Product", "商品"), of: names),
          select("action", named: "action", label: BilingualText("At the cashier", "收银台"), of: actions)))
  }

  private static let visits: [String: BilingualText] = [
    "pay": BilingualText("pays", "支付"), "payAndLeave": BilingualText("pays, and never comes back", "支付后不再返回应用"),
    "cancel": BilingualText("cancels", "取消"),
  ]

  private var orders: Markup {
    let rows = state.orders.map { order -> [Markup] in
      let (number, total) = (order["out_trade_no"]?.string ?? "", "\(order["total"]?.integer ?? 0)")
      let isPaid = ["SUCCESS", "REFUND"].contains(order["state"]?.string ?? "")
      let named = [("order", number), ("mchid", order["mchid"]?.string ?? "")]
      let words = BilingualText("I paid and got nothing", "没有到账")[language]
      return [
        .element(.span, [.style("id")], .text(number)), .text(order["state"]?.string ?? ""), .text(total),
        isPaid
          ? small("refund", titled: BilingualText("Refund", "退款"), with: named)
            + small(
              "complain", titled: BilingualText("Complain", "投诉"), with: named + [("text", words), ("refund", total)])
          : Markup(),
      ]
    }
    return list(
      BilingualText("Orders at WeChat Pay", "微信支付订单"),
      columns: [Self.number, Self.state, BilingualText("Fen", "金额（分）"), Self.acts], rows: rows)
  }

  private var complaints: Markup {
    let rows = state.complaints.map { complaint -> [Markup] in
      let id = complaint["facts"]?["complaint_id"]?.string ?? ""
      let words = BilingualText("still nothing", "还是没有到账")[language]
      return [
        .element(.span, [.style("id")], .text(id)), .text(complaint["facts"]?["complaint_state"]?.string ?? ""),
        .foreign(complaint["facts"]?["complaint_detail"]?.string ?? ""),
        small(
          "complain-again", titled: BilingualText("Complain again", "再次投诉"), with: [("complaint", id), ("text", words)])
          + small("withdraw", titled: BilingualText("Withdraw", "撤诉"), with: [("complaint", id)]),
      ]
    }
    return list(
      BilingualText("Complaints", "投诉"),
      columns: [Self.number, Self.state, BilingualText("Text", "内容"), Self.acts], rows: rows)
  }

  private static let verbs: [(verb: String, words: BilingualText)] = [
    ("refund", BilingualText("Refund", "退款")), ("refund-request", BilingualText("Ask for a refund", "申请退款")),
    ("refund-decline", BilingualText("Decline it", "拒绝退款")),
    ("refund-reversal", BilingualText("Undo the refund", "撤销退款")),
  ]

  private var transactions: Markup {
    let rows = state.transactions.map { transaction -> [Markup] in
      let id = transaction["transactionId"]?.string ?? transaction["id"]?.string ?? ""
      return [
        .element(.span, [.style("id")], .text(id)), .text(transaction["productId"]?.string ?? ""),
        .foreign(transaction["account"]?.string ?? ""),
        Markup(
          Self.verbs.map { small("apple", titled: $0.words, with: [("transaction", id), ("verb", $0.verb)]) }),
      ]
    }
    return list(
      BilingualText("Transactions at the App Store", "App Store 交易"),
      columns: [Self.number, BilingualText("Product", "商品"), BilingualText("Account", "账户"), Self.acts], rows: rows)
  }

  private var clock: Markup {
    let steps = SimulatorPageActs.steps.map { ("\($0.seconds)", $0.words[language]) }
    return panel(
      BilingualText("Clock", "时钟"),
      .element(.p, .text("App Store " + state.appStoreTime)) + .element(.p, .text("WeChat Pay " + state.weChatPayTime))
        + form(
          "clock", titled: BilingualText("Both stores", "两家商店"), button: BilingualText("Move", "前进"),
          select("seconds", named: "seconds", label: BilingualText("By", "前进"), of: steps)))
  }

  private var faults: Markup {
    let planned = BilingualText("\(state.planned) planned.", "已安排 \(state.planned) 个。")
    let weChat = state.weChatFaults.map { (value: $0, words: SimulatorFaultWords.ofWeChatPay($0)[language]) }
    let apple = state.appleFaults.map { (value: $0, words: SimulatorFaultWords.ofAppStore($0)[language]) }
    return panel(
      BilingualText("Break things", "制造故障"),
      .element(.p, .text(planned[language]))
        + fault("weChatPay", titled: Self.weChatPay, of: weChat, in: state.weChatOperations)
        + fault("appStore", titled: Self.appStore, of: apple, in: state.appleOperations)
        + small("forget", titled: BilingualText("Forget all faults", "取消全部故障")))
  }

  private func fault(
    _ store: String, titled title: BilingualText, of faults: [(value: String, words: String)],
    in operations: [String]
  ) -> Markup {
    let any = [("", BilingualText("any", "任意")[language])]
    return form(
      "fault", titled: title, button: BilingualText("Plan", "安排"), hidden("store", store),
      select(store + "-fault", named: "fault", label: BilingualText("Fault", "故障"), of: faults),
      select(
        store + "-operation", named: "operation", label: BilingualText("Of which call", "调用"),
        of: any + operations.map { ($0, $0) }))
  }

  private var scenarios: Markup {
    let explanation = BilingualText(
      "Each plays a trap of payments in a world of its own, and judges it by the ledger.",
      "每个场景都在独立的世界中演示一个支付陷阱，并以账本判定。")
    let count = Scenario.all.count
    return panel(
      BilingualText("Scenarios", "场景"),
      .element(.p, .text(explanation[language]))
        + form(
          "scenario", titled: BilingualText("\(count) scenarios", "\(count) 个场景"), button: BilingualText("Play", "播放"),
          select(
            "scenario", named: "scenario", label: BilingualText("Scenario", "场景"),
            of: Scenario.all.map { ($0.name, $0.title[language]) })))
  }

  private static let appStore = BilingualText("App Store", "App Store")
  private static let weChatPay = BilingualText("WeChat Pay", "微信支付")
  private static let number = BilingualText("Number", "单号")
  private static let state = BilingualText("State", "状态")
  private static let acts = BilingualText("Do", "操作")

  // MARK: pieces

  private func panel(_ title: BilingualText, _ content: Markup) -> Markup {
    .element(
      .section, [.style("panel")], .element(.header, .element(.h2, .text(title[language]))),
      .element(.div, [.style("body")], content))
  }

  private func list(_ title: BilingualText, columns: [BilingualText], rows: [[Markup]]) -> Markup {
    let head = Markup.element(
      .thead,
      .element(.tr, all: columns.map { .element(.th, [.of(.scope, "col")], .text($0[language])) }))
    let body = Markup.element(.tbody, all: rows.map { .element(.tr, all: $0.map { .element(.td, $0) }) })
    let table = Markup.element(
      .div, [.style("list"), .of(.tabindex, "0"), .of(.role, "region"), .of(.ariaLabel, title[language])],
      .element(.table, head, body))
    return .element(
      .section, [.style("panel")], .element(.header, .element(.h2, .text(title[language]))),
      rows.isEmpty ? .element(.p, [.style("empty")], .text(BilingualText("Nothing here.", "没有内容。")[language])) : table)
  }

  private func form(_ name: String, titled title: BilingualText, button: BilingualText, _ fields: Markup...) -> Markup {
    .element(
      .form, [.of(.method, "post"), .action(target)], .element(.h3, .text(title[language])),
      hidden("do", name), Markup(fields),
      .element(.button, [.style("button main"), .of(.type, "submit")], .text(button[language])))
  }

  /// A button that needs nothing else.
  private func small(_ name: String, titled title: BilingualText, with values: [(String, String)] = []) -> Markup {
    .element(
      .form, [.style("plain"), .of(.method, "post"), .action(target)], hidden("do", name),
      Markup(values.map { hidden($0.0, $0.1) }),
      .element(.button, [.style("button small"), .of(.type, "submit")], .text(title[language])))
  }

  private func hidden(_ name: String, _ value: String) -> Markup {
    .element(.input, [.of(.type, "hidden"), .of(.name, name), .of(.value, value)])
  }

  private func userField(_ id: String) -> Markup {
    .element(
      .div, [.style("field")],
      .element(.label, [.of(.for, id)], .text(BilingualText("User", "用户")[language])),
      .element(
        .input, [.of(.id, id), .of(.name, "user"), .of(.value, "alice"), .of(.required), .of(.maxlength, "255")]))
  }

  private func select(
    _ id: String, named name: String, label: BilingualText, of choices: [(value: String, words: String)]
  ) -> Markup {
    .element(
      .div, [.style("field")], .element(.label, [.of(.for, id)], .text(label[language])),
      .element(
        .select, [.of(.id, id), .of(.name, name)],
        all: choices.map { .element(.option, [.of(.value, $0.value)], .text($0.words)) }))
  }
}
