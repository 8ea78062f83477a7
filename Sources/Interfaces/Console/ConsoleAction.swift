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
  case refund
  case writeOff = "write-off"
  case mergeUser = "merge"

  /// The path of what it is done on, behind that of the app.
  var place: String {
    switch self {
    case .redrive: "deliveries/{delivery}"
    case .claim, .retry, .release, .setAside, .refund: "payments/{store}/{environment}/{transaction}"
    case .closeOrder, .askStore: "orders/{environment}/{order}"
    case .writeOff: "users/{environment}/{user}/{unit}"
    case .mergeUser: "users/{environment}/{user}"
    }
  }

  package var permission: OperatorPermission {
    switch self {
    case .redrive, .claim, .retry, .closeOrder, .askStore: .assist
    case .release, .setAside: .operate
    case .refund, .writeOff, .mergeUser: .moveMoney
    }
  }

  /// Whether the operator confirms it with a second factor, if the last one was shown more than five minutes ago.
  var needsProof: Bool { [.release, .refund, .writeOff, .mergeUser].contains(self) }

  /// The use case, as the routes of the API name it; nil if the API has no such route for operators.
  package var useCase: String? {
    switch self {
    case .redrive: "RedriveDelivery"
    case .claim: "ClaimUnclaimedPayment"
    case .retry: "RetryPayment"
    case .release: "ReleasePayment"
    case .setAside: "SetAsidePayment"
    case .refund: "RefundPayment"
    case .writeOff: "WriteOffDebt"
    case .closeOrder, .askStore, .mergeUser: nil
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
    case .refund: "payment.refund"
    case .writeOff: "balance.writeOff"
    case .mergeUser: "user.merge"
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
    case .refund: BilingualText("Refund", "退款")
    case .writeOff: BilingualText("Write off", "核销欠款")
    case .mergeUser: BilingualText("Merge another user into this one", "将其他用户并入此用户")
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
    case .refund:
      BilingualText(
        "Gives the money back by WeChat Pay. What was granted is taken back once the payer has it.",
        "通过微信支付退款。付款人收到退款后，已入账的内容会被收回。")
    case .writeOff:
      BilingualText("Sets the debt of this balance back to zero, and unfreezes it.", "将该余额的欠款清零并解冻。")
    case .mergeUser:
      BilingualText(
        "This user gets all orders, payments, entitlements, subscriptions and balances of the other one, for ever. "
          + "Nothing undoes it.",
        "此用户将永久获得另一用户的全部订单、支付、权益、订阅与余额，且无法撤销。")
    }
  }

  /// What its form asks for beside the reason.
  func fields(namesPurchase: Bool) -> [ActionField] {
    switch self {
    case .claim: namesPurchase ? [.user, .order] : [.user]
    case .refund: [.amount]
    case .mergeUser: [.user]
    default: []
    }
  }
}

/// A field of an action's form. Its text is one of the action's arguments, under this name.
enum ActionField: String, CaseIterable {
  case user, order, amount

  var bytesMax: Int {
    switch self {
    case .user: 255
    case .order: 256
    case .amount: 16
    }
  }

  var isRequired: Bool { self != .amount }

  var label: BilingualText {
    switch self {
    case .user: Words.user
    case .order: BilingualText("Their unpaid order", "该用户的未支付订单")
    case .amount: BilingualText("Amount in yuan; empty: all that is left", "金额（元）；留空表示全部剩余金额")
    }
  }
}
