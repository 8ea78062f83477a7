import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// An operator's own account: how they sign in, and where they are signed in.
struct AccountPage {
  let call: SignedInVisit
  let factors: OperatorFactors
  let sessions: [ConsoleSession]
  let passkey: PasskeyForm

  private var language: Language { call.language }

  var markup: Markup {
    .element(
      .div, [.style("head")],
      .element(.h1, .text(Words.account[language]), " ", .foreign(call.account.name.text)))
      + .element(
        .div, [.style("stack")], roles, passkeys, sessionList,
        panel(KeyHelp.title, KeyHelp.switcher(in: language)))
  }

  private var roles: Markup {
    let roles = call.account.roles.sorted { $0.key < $1.key }.map { app, role in
      let name = app == OperatorAccount.everyApp ? Self.everyApp : BilingualText(app.text, app.text)
      return (name: name, value: Markup.text(role.rawValue) as Markup?)
    }
    return panel(Self.roleTitle, Display.pairs(roles, language))
  }

  private var passkeys: Markup {
    let rows = factors.passkeys.map { passkey -> [Markup] in
      [
        .foreign(passkey.label), Display.time(passkey.createdAt),
        passkey.usedAt.map { Display.time($0) } ?? .text("–"),
        button(
          Self.remove, to: LinkTarget(["console", "me", "passkeys", passkey.credential, "remove"]), fields: []),
      ]
    }
    let codes = factors.account.codes.map { codes in
      Markup.element(.p, .text(Self.codesSince[language]), " ", Display.time(codes.since))
    }
    return ListPanel.table(
      [Self.label, Words.created, Self.used, Self.remove], rows, title: Self.passkeyList, in: language)
      + panel(Self.factorTitle, (codes ?? Markup()) + passkey.markup(language))
  }

  private var sessionList: Markup {
    let rows = sessions.map { session -> [Markup] in
      [
        Display.time(session.createdAt), Display.time(session.seenAt),
        session.digest == call.session.digest ? Display.tag(Self.thisOne[language], .ok) : .text("–"),
      ]
    }
    return ListPanel.table(
      [Self.signedIn, Self.seen, Self.here], rows, title: Self.sessionTitle, in: language)
      + .element(
        .div, [.style("do")],
        button(Self.endOthers, to: LinkTarget(["console", "me", "end-sessions"]), fields: [("which", "others")]),
        button(Self.endAll, to: LinkTarget(["console", "me", "end-sessions"]), fields: [("which", "all")]))
  }

  private func button(_ title: BilingualText, to target: LinkTarget, fields: [(String, String)]) -> Markup {
    .element(
      .form, [.style("plain"), .of(.method, "post"), .action(target)], PageFrame.hidden("token", call.formToken),
      Markup(fields.map { PageFrame.hidden($0.0, $0.1) }),
      .element(.button, [.style("button small"), .of(.type, "submit")], .text(title[language])))
  }

  private func panel(_ title: BilingualText, _ content: Markup) -> Markup {
    .element(
      .section, [.style("panel")], .element(.header, .element(.h2, .text(title[language]))),
      .element(.div, [.style("body")], content))
  }

  private static let roleTitle = BilingualText("Roles", "角色")
  private static let everyApp = BilingualText("every app", "所有应用")
  private static let factorTitle = BilingualText("Second factors", "第二重验证")
  private static let passkeyList = BilingualText("Passkeys", "通行密钥")
  private static let codesSince = BilingualText("One-time codes since", "一次性验证码启用于")
  private static let label = BilingualText("Name", "名称")
  private static let used = BilingualText("Last use", "最近使用")
  private static let remove = BilingualText("Remove", "移除")
  private static let sessionTitle = BilingualText("Signed in", "已登录的浏览器")
  private static let signedIn = BilingualText("Since", "登录时间")
  private static let seen = BilingualText("Last call", "最近访问")
  private static let here = BilingualText("Here", "当前")
  private static let thisOne = BilingualText("this browser", "本浏览器")
  private static let endOthers = BilingualText("End all others", "结束其他登录")
  private static let endAll = BilingualText("End all", "结束全部登录")
}
