import Cryptography
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Where a second factor is shown or set up.
struct FactorPage {
  /// What the one-time codes are made from, while they are set up.
  var newSecret: Secret?
  /// Whether a one-time code is asked for.
  let asksCode: Bool
  let passkey: PasskeyForm
  let account: OperatorName
  let target: LinkTarget
  /// The token of a session's forms; nil before there is a session.
  var formToken: String?
  /// The page that it leads back to.
  var to: String?
  /// Whether a new sign-in at the identity provider counts, too.
  var asksProvider = false
  let failed: Bool

  static let title = BilingualText("Second factor", "第二重验证")

  func markup(_ language: Language) -> Markup {
    .element(
      .section, [.style("panel")], .element(.h1, .text(Self.title[language])),
      failed
        ? .element(.p, [.style("notice bad"), .of(.role, "alert")], .text(Self.refused[language])) : Markup(),
      .element(.p, .text((newSecret == nil ? Self.ask : Self.setUp)[language])),
      passkey.markup(language), newSecret.map { secret($0, language) } ?? Markup(),
      asksCode ? codeForm(language) : Markup(), asksProvider ? providerForm(language) : Markup())
  }

  private func providerForm(_ language: Language) -> Markup {
    .element(.p, .text(Self.providerWords[language]))
      + ProviderSignIn.form(
        to: target, title: Self.providerTitle,
        hidden: [
          formToken.map { PageFrame.hidden("token", $0) } ?? Markup(),
          to.map { PageFrame.hidden("to", $0) } ?? Markup(), PageFrame.hidden(ProviderSignIn.field, "again"),
        ], in: language)
  }

  private func secret(_ secret: Secret, _ language: Language) -> Markup {
    let key = OneTimeCode.base32(secret)
    let address = "otpauth://totp/Counterfoil:\(account.text)?secret=\(key)&issuer=Counterfoil"
    return .element(.h2, .text(Self.byApp[language]))
      + .element(.p, .text(Self.typeIn[language]))
      + .element(.p, .element(.code, [.of(.id, "secret")], .text(key)), Display.copyButton(key, language))
      + .element(.p, .text(Self.address[language]), " ", .element(.code, .text(address)))
  }

  private func codeForm(_ language: Language) -> Markup {
    .element(
      .form, [.of(.method, "post"), .action(target)],
      formToken.map { PageFrame.hidden("token", $0) } ?? Markup(), to.map { PageFrame.hidden("to", $0) } ?? Markup(),
      .element(
        .div, [.style("field")], .element(.label, [.of(.for, "factor")], .text(Self.code[language])),
        .element(
          .input,
          [
            .of(.id, "factor"), .of(.name, "factor"), .of(.required), .of(.autocomplete, "one-time-code"),
            .of(.inputmode, "numeric"), .of(.maxlength, "8"), .of(.spellcheck, "false"),
          ])),
      .element(.button, [.style("button main"), .of(.type, "submit")], .text(Self.confirm[language])))
  }

  private static let refused = BilingualText(
    "That was not taken. A code counts once, and after five wrong ones you need a new link.",
    "验证未通过。每个验证码只能使用一次；连续五次错误后需要新的登录链接。")
  private static let ask = BilingualText(
    "Show that it is you: with your passkey, or with the code of your app.",
    "请确认是您本人：使用通行密钥，或输入验证器应用中的验证码。")
  private static let setUp = BilingualText(
    "Choose how you prove from now on that it is you. A passkey signs you in without a link; an app for one-time codes"
      + " needs a new link each time.",
    "请选择今后如何证明是您本人。使用通行密钥登录无需链接；使用一次性验证码则每次都需要新的链接。")
  private static let byApp = BilingualText("Or: an app for one-time codes", "或者：验证器应用")
  private static let typeIn = BilingualText(
    "Type this key into the app. Nobody can show it again.", "请在应用中输入此密钥。之后无法再次查看。")
  private static let address = BilingualText("As an address:", "以地址形式：")
  private static let providerWords = BilingualText(
    "Or sign in at your identity provider once more. Press within five minutes after that.",
    "也可以在身份提供商处重新登录，并在之后五分钟内点击。")
  private static let providerTitle = BilingualText("Confirm with the identity provider", "通过身份提供商确认")
  private static let code = BilingualText("Six digits from the app", "应用显示的六位数字")
  private static let confirm = BilingualText("Confirm", "确认")
}
