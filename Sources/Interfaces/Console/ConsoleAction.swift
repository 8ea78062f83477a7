import Markup
package import PaymentModel
import PaymentPrimitives

/// What an operator can do in the console. Each leaves one entry in the audit log, with a reason.
package enum ConsoleAction: String, CaseIterable, Sendable {
  case redrive
  case claim
  case retry
  case release
  case setAside = "set-aside"
  case closeOrder = "close"
  case askStore = "ask-store"

  package var permission: OperatorPermission {
    switch self {
    case .redrive, .claim, .retry, .closeOrder, .askStore: .assist
    case .release, .setAside: .operate
    }
  }

  /// The use case, as the routes of the API name it; nil if the API has no such route for operators.
  package var useCase: String? {
    switch self {
    case .redrive: "RedriveDelivery"
    case .claim: "ClaimUnclaimedPayment"
    case .retry: "RetryPayment"
    case .release: "ReleasePayment"
    case .setAside: "SetAsidePayment"
    case .closeOrder, .askStore: nil
    }
  }

  /// Its name in the audit log.
  package var entry: String {
    switch self {
    case .redrive: "delivery.redrive"
    case .claim: "payment.claim"
    case .retry: "payment.retry"
    case .release: "payment.release"
    case .setAside: "payment.setAside"
    case .closeOrder: "order.close"
    case .askStore: "order.askStore"
    }
  }

  var title: BilingualText {
    switch self {
    case .redrive: BilingualText("Send again now", "立即重发")
    case .claim: BilingualText("Give to a user", "认领给用户")
    case .retry: BilingualText("Decide again", "重新判定")
    case .release: BilingualText("Release", "解除搁置")
    case .setAside: BilingualText("Set aside", "搁置")
    case .closeOrder: BilingualText("Close the order", "关闭订单")
    case .askStore: BilingualText("Ask the store now", "立即询问商店")
    }
  }

  /// What it does, below the title of its form.
  var explanation: BilingualText {
    switch self {
    case .redrive:
      BilingualText(
        "Sends the same message under the same id. A backend that stores the id books nothing twice.",
        "以同一编号重发同一消息。后端若保存编号，就不会重复入账。")
    case .claim:
      BilingualText(
        "Gives the payment to that user, once. Check first that they paid it.", "将该支付认领给该用户，仅此一次。请先确认付款人。")
    case .retry:
      BilingualText(
        "Tries what was stopped again, with the newest facts.", "用最新的数据重新处理被中止的变更。")
    case .release:
      BilingualText("Lets the payment count again, and decides about it.", "使该支付重新生效并重新判定。")
    case .setAside:
      BilingualText(
        "Nothing grants the payment until somebody releases it.", "在解除搁置之前，该支付不会入账。")
    case .closeOrder:
      BilingualText(
        "The customer cannot pay it any more. A payment that arrives late still counts.",
        "用户将无法再支付该订单；若仍有迟到的支付，照常入账。")
    case .askStore:
      BilingualText("Asks the store whether it was paid.", "向商店查询该订单是否已支付。")
    }
  }

  /// Whether it needs the name of a user.
  var needsUser: Bool { self == .claim }
}

/// The form of an action, closed until it is wanted. It works without a script.
struct ActionForm {
  let action: ConsoleAction
  let target: LinkTarget
  let formToken: String
  /// Names one press of the button.
  let press: String
  /// Whether it is what this page suggests.
  var isMain = false
  /// Whether a user's purchase has to be named, as for a charge of WeChat Pay.
  var namesPurchase = false

  func markup(_ language: Language) -> Markup {
    let id = "\(action.rawValue)-\(press.prefix(8))"
    var fields: [Markup] = []
    if action.needsUser {
      fields.append(Self.field(id + "-user", "user", label: Words.user, in: language, limit: 255))
      if namesPurchase {
        fields.append(Self.field(id + "-order", "order", label: Self.order, in: language, limit: 256))
      }
    }
    fields.append(
      .element(
        .div, [.style("field")], .element(.label, [.of(.for, id + "-reason")], .text(Words.reason[language])),
        .element(
          .textarea,
          [
            .of(.id, id + "-reason"), .of(.name, "reason"), .of(.required), .of(.minlength, "3"),
            .of(.maxlength, "1000"), .of(.ariaDescribedBy, id + "-hint"),
          ]), .element(.small, [.of(.id, id + "-hint")], .text(Self.hint[language]))))
    return .element(
      .details, [.style("act")],
      .element(.summary, [.style(isMain ? "button main" : "button")], .text(action.title[language])),
      .element(
        .form, [.of(.method, "post"), .action(target)], PageFrame.hidden("token", formToken),
        PageFrame.hidden("press", press), .element(.p, .text(action.explanation[language])), Markup(fields),
        .element(.button, [.style("button main"), .of(.type, "submit")], .text(action.title[language]))))
  }

  private static func field(
    _ id: String, _ name: String, label: BilingualText, in language: Language, limit: Int
  ) -> Markup {
    .element(
      .div, [.style("field")], .element(.label, [.of(.for, id)], .text(label[language])),
      .element(
        .input,
        [
          .of(.id, id), .of(.name, name), .of(.required), .of(.maxlength, "\(limit)"), .of(.autocomplete, "off"),
        ]))
  }

  private static let order = BilingualText("Their unpaid order", "该用户的未支付订单")
  private static let hint = BilingualText(
    "It stays in the audit log: a ticket's number, or what the customer said.", "会保留在操作记录中：填写工单号或客户的说明。")
}
