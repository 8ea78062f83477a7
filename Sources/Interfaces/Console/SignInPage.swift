import Markup
import PaymentPrimitives

/// Where a link leads: its code is sent by the script, or pasted.
struct SignInPage {
  /// What was not taken; nil at first.
  let failure: BilingualText?
  /// Whether the request came with the token of the identity provider; nil if none is configured.
  let provider: Bool?
  let passkey: PasskeyForm

  func markup(_ language: Language) -> Markup {
    .element(
      .section, [.style("panel")], .element(.h1, .text(Words.signIn[language])),
      failure.map { Markup.element(.p, [.style("notice bad"), .of(.role, "alert")], .text($0[language])) } ?? Markup(),
      provider.map { ProviderSignIn.entry(hasToken: $0, language) } ?? Markup(),
      passkey.markup(language),
      .element(
        .p, .text(Self.explanation[language]), " ", .element(.code, "counterfoil accounts link NAME")),
      .element(
        .form, [.of(.method, "post"), .action(LinkTarget(["console", "enter"]))],
        .element(
          .div, [.style("field")],
          .element(.label, [.of(.for, "code")], .text(Self.label[language])),
          .element(
            .input,
            [
              .of(.id, "code"), .of(.name, "code"), .of(.required), .of(.autocomplete, "off"), .of(.dataCode),
              .of(.spellcheck, "false"), .of(.maxlength, "256"),
            ])),
        .element(.button, [.style("button main"), .of(.type, "submit")], .text(Words.signIn[language]))))
  }

  private static let label = BilingualText("The link, or the code at its end", "登录链接，或其末尾的代码")
  private static let explanation = BilingualText(
    "A link signs in once, within ten minutes. Somebody with access to the server makes one:",
    "每个登录链接只能使用一次，十分钟内有效。请有服务器权限的同事生成：")
  static let refused = BilingualText(
    "You cannot sign in with that: it is unknown, was used, or is too old. Use a passkey, or make a new link.",
    "无法登录：不存在、已使用或已过期。请使用您的通行密钥，或生成新的链接。")
}
