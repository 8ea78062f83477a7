import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Who works in the console. Accounts are changed on the server's machine alone.
struct AccountsPage {
  let accounts: [OperatorAccount]

  func markup(_ language: Language) -> Markup {
    let rows = accounts.map { account -> [Markup] in
      let roles = account.roles.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.rawValue)" }
      return [
        .foreign(account.name.text), .text(roles.isEmpty ? "–" : roles.joined(separator: ", ")),
        Display.time(account.createdAt), account.codes.map { Display.time($0.since) } ?? .text("–"),
        account.disabledAt == nil
          ? Display.tag(Self.active[language], .ok) : Display.tag(Self.ended[language]),
      ]
    }
    return .element(.div, [.style("head")], .element(.h1, .text(Words.accounts[language])))
      + .element(.p, .text(Self.explanation[language]), " ", .element(.code, "counterfoil accounts"))
      + ListPanel.table(
        [
          BilingualText("Name", "名称"), BilingualText("Roles", "角色"), Words.created,
          BilingualText("One-time codes since", "一次性验证码启用于"), Words.state,
        ], rows, title: Words.accounts, in: language)
  }

  private static let explanation = BilingualText(
    "Accounts are made and changed on the server's machine:", "账号只能在服务器上创建和修改：")
  private static let active = BilingualText("active", "有效")
  private static let ended = BilingualText("disabled", "已停用")
}
