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
  case answerComplaint = "answer"
  case approveComplaintRefund = "approve-refund"
  case refuseComplaintRefund = "refuse-refund"
  case completeComplaint = "complete"

  /// The path of what it is done on, behind that of the app.
  var place: String {
    switch self {
    case .redrive: "deliveries/{delivery}"
    case .claim, .retry, .release, .setAside, .refund: "payments/{store}/{environment}/{transaction}"
    case .closeOrder, .askStore: "orders/{environment}/{order}"
    case .writeOff: "users/{environment}/{user}/{unit}"
    case .answerComplaint, .approveComplaintRefund, .refuseComplaintRefund, .completeComplaint:
      "complaints/{complaint}"
    }
  }

  package var permission: OperatorPermission {
    switch self {
    case .redrive, .claim, .retry, .closeOrder, .askStore, .answerComplaint, .completeComplaint: .assist
    case .release, .setAside: .operate
    case .refund, .writeOff, .approveComplaintRefund, .refuseComplaintRefund: .moveMoney
    }
  }

  /// Whether the operator confirms it with a second factor, if the last one was shown more than five minutes ago.
  var needsProof: Bool { [.release, .refund, .writeOff, .approveComplaintRefund].contains(self) }

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
    case .closeOrder, .askStore, .answerComplaint, .approveComplaintRefund, .refuseComplaintRefund,
      .completeComplaint:
      nil
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
    case .answerComplaint: "complaint.answer"
    case .approveComplaintRefund: "complaint.approveRefund"
    case .refuseComplaintRefund: "complaint.refuseRefund"
    case .completeComplaint: "complaint.complete"
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
    case .answerComplaint: BilingualText("Answer the customer", "回复用户")
    case .approveComplaintRefund: BilingualText("Refund, and say so", "退款并告知")
    case .refuseComplaintRefund: BilingualText("Refuse the refund", "拒绝退款")
    case .completeComplaint: BilingualText("End the complaint", "处理完成")
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
    case .answerComplaint:
      BilingualText("The customer reads it in WeChat.", "用户会在微信中看到该回复。")
    case .approveComplaintRefund:
      BilingualText(
        "Refunds the first payment of the complaint by WeChat Pay, unless it has a refund, and tells the customer.",
        "通过微信支付退还该投诉的第一笔支付（已有退款则不再退），并告知用户。")
    case .refuseComplaintRefund:
      BilingualText("The customer reads your reason in WeChat. Nothing is refunded.", "用户会在微信中看到理由，不会退款。")
    case .completeComplaint:
      BilingualText(
        "Tells WeChat Pay that it is done. That is not possible while a refund is on its way.",
        "告知微信支付已处理完成；退款处理中时不可操作。")
    }
  }

  /// What its form asks for beside the reason.
  func fields(namesPurchase: Bool) -> [ActionField] {
    switch self {
    case .claim: namesPurchase ? [.user, .order] : [.user]
    case .refund, .approveComplaintRefund: [.amount]
    case .answerComplaint, .refuseComplaintRefund: [.text]
    default: []
    }
  }
}

/// A field of an action's form. Its text is one of the action's arguments, under this name.
enum ActionField: String, CaseIterable {
  case user, order, amount, text

  var bytesMax: Int {
    switch self {
    case .user: 255
    case .order: 256
    case .amount: 16
    case .text: 600
    }
  }

  var isRequired: Bool { self != .amount }

  var label: BilingualText {
    switch self {
    case .user: Words.user
    case .order: BilingualText("Their unpaid order", "该用户的未支付订单")
    case .text: BilingualText("What the customer reads: at most 200 characters", "用户看到的内容（最多 200 字）")
    case .amount: BilingualText("Amount in yuan; empty: all that is left", "金额（元）；留空表示全部剩余金额")
    }
  }
}
