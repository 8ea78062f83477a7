import Markup
package import PaymentPrimitives

/// The keys of the console, and the dialog that lists them. `ConsoleScript` does what they say.
package enum KeyHelp {
  /// One key, or two that are pressed after each other.
  package struct Key: Sendable {
    /// As the script knows it: `j`, `g o`.
    package let name: String
    package let words: BilingualText
  }

  package static let all = [
    Key(name: "/", words: BilingualText("Search", "搜索")),
    Key(name: toOrders, words: BilingualText("Orders", "订单")),
    Key(name: toQueue, words: BilingualText("Needs attention", "待处理")),
    Key(name: toDeliveries, words: BilingualText("Deliveries", "发货通知")),
    Key(name: toAuditLog, words: BilingualText("Audit log", "操作记录")),
    Key(name: "j", words: BilingualText("Next row", "下一行")), Key(name: "k", words: BilingualText("Row before", "上一行")),
    Key(name: "Enter", words: BilingualText("Open the row", "打开该行")),
    Key(name: "c", words: BilingualText("Copy the number of this page", "复制本页单号")),
    Key(name: "r", words: BilingualText("Open the form of what this page suggests", "打开本页建议操作的表单")),
    Key(name: "?", words: BilingualText("Show these keys", "显示快捷键")),
    Key(name: "Esc", words: BilingualText("Close this list", "关闭此列表")),
  ]

  static let toOrders = "g o"
  static let toQueue = "g q"
  static let toDeliveries = "g d"
  static let toAuditLog = "g a"

  static let title = BilingualText("Keys", "快捷键")

  /// Closed until it is asked for. Browsers close it with Escape, and keep the focus in it.
  static func dialog(in language: Language) -> Markup {
    let pairs = all.map { key in (name: key.words, value: Markup(key.name.split(separator: " ").map(kbd)) as Markup?) }
    return .element(
      .dialog, [.of(.id, "keys"), .of(.ariaLabel, title[language])], .element(.h2, .text(title[language])),
      Display.pairs(pairs, language), .element(.p, .text(hint[language])),
      .element(
        .button, [.style("button"), .of(.type, "button"), .of(.dataKeys, "close")],
        .text(BilingualText("Close", "关闭")[language])))
  }

  /// Opens the dialog without a key. Only a script shows it: without one there are no keys.
  static func opener(in language: Language) -> Markup {
    .element(
      .button, [.style("quiet hide-s"), .of(.type, "button"), .of(.dataKeys, "show"), .of(.hidden)],
      .text(title[language]))
  }

  /// Switches single keys off and on, as WCAG 2.1.4 demands.
  static func switcher(in language: Language) -> Markup {
    .element(.p, .text(explanation[language]))
      + .element(
        .button, [.style("button small"), .of(.type, "button"), .of(.dataKeys, "switch"), .of(.hidden)],
        .text(BilingualText("Switch single keys off", "停用单键快捷键")[language]))
  }

  private static func kbd(_ name: Substring) -> Markup { .element(.kbd, .text(String(name))) + .text(" ") }

  private static let hint = BilingualText(
    "They do nothing while you type. My account switches them off.", "输入文字时不起作用。可在“我的账号”中停用。")
  private static let explanation = BilingualText(
    "With JavaScript, ? on any page lists the keys. They do nothing while you type. This browser remembers the switch.",
    "启用 JavaScript 时，在任意页面按 ? 可查看快捷键；输入文字时不起作用。此开关保存在本浏览器中。")
}
