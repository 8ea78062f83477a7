import Cryptography
import Markup
import Passkeys
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// A form that asks the browser for a passkey. It is hidden until the script shows it: only a script can ask.
struct PasskeyForm {
  let request: PasskeyRequest
  let target: LinkTarget
  let title: BilingualText
  /// Whom a new passkey is for, and which ones they have.
  var owner: (account: OperatorName, user: [UInt8], known: [Passkey])?
  /// The token of a session's forms.
  var formToken: String?
  /// The page that it leads back to.
  var to: String?

  func markup(_ language: Language) -> Markup {
    var attributes: [HTMLAttribute] = [
      .of(.method, "post"), .action(target), .of(.hidden), .of(.dataHost, request.question.relyingParty),
      .of(.dataPasskey, owner == nil ? "get" : "create"),
    ]
    if let owner {
      attributes += [
        .of(.dataUser, Base64URL.encode(owner.user)), .of(.dataName, owner.account.text),
        .of(.dataExclude, owner.known.map(\.credential).joined(separator: " ")),
      ]
    }
    let empty = ["credential", "clientData", "data", "signature"].map { PageFrame.hidden($0, "") }
    return .element(
      .form, attributes, formToken.map { PageFrame.hidden("token", $0) } ?? Markup(),
      to.map { PageFrame.hidden("to", $0) } ?? Markup(),
      PageFrame.hidden("challenge", Base64URL.encode(request.question.challenge)), Markup(empty),
      owner == nil ? Markup() : label(language),
      .element(.p, [.of(.role, "alert")]),
      .element(.button, [.style("button main"), .of(.type, "submit")], .text(title[language])))
  }

  private func label(_ language: Language) -> Markup {
    .element(
      .div, [.style("field")], .element(.label, [.of(.for, "label")], .text(Self.labelName[language])),
      .element(
        .input,
        [
          .of(.id, "label"), .of(.name, "label"), .of(.required), .of(.maxlength, "\(Passkey.labelBytesMax)"),
          .of(.autocomplete, "off"), .of(.value, Self.labelStart[language]),
        ]))
  }

  private static let labelName = BilingualText("Name of this passkey", "通行密钥名称")
  private static let labelStart = BilingualText("This device", "本设备")

  /// The browser's answer in a form; nil if a field is missing or cannot be read.
  static func answer(in form: WebForm) -> (challenge: [UInt8], answer: PasskeyAnswer)? {
    guard let challenge = form["challenge"].flatMap({ Base64URL.decode($0) }), let credential = form["credential"],
      let clientData = form["clientData"].flatMap({ Base64URL.decode($0) }),
      let data = form["data"].flatMap({ Base64URL.decode($0) }),
      let signature = Base64URL.decode(form["signature"] ?? "")
    else { return nil }
    return (
      challenge, PasskeyAnswer(credential: credential, clientData: clientData, data: data, signature: signature)
    )
  }
}
