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
  case extend
  case extendAll = "extend-all"
  case redirect
  case mergeUser = "merge"
  case eraseUser = "erase"
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
    case .extend: "subscriptions/{environment}/{original}"
    case .extendAll: "app-store-products/{product}"
    case .redirect: "refunds/{number}"
    case .mergeUser, .eraseUser: "users/{environment}/{user}"
    case .answerComplaint, .approveComplaintRefund, .refuseComplaintRefund, .completeComplaint:
      "complaints/{complaint}"
    }
  }

  package var permission: OperatorPermission {
    switch self {
    case .redrive, .claim, .retry, .closeOrder, .askStore, .answerComplaint, .completeComplaint: .assist
    case .release, .setAside, .extend: .operate
    case .refund, .writeOff, .redirect, .mergeUser, .approveComplaintRefund, .refuseComplaintRefund: .moveMoney
    case .extendAll, .eraseUser: .administer
    }
  }

  /// Whether the operator confirms it with a second factor, if the last one was shown more than five minutes ago.
  var needsProof: Bool {
    [.release, .refund, .writeOff, .extend, .extendAll, .redirect, .mergeUser, .eraseUser, .approveComplaintRefund]
      .contains(self)
  }

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
    case .extend: "ExtendSubscription"
    case .extendAll: "ExtendAllSubscribers"
    case .redirect: "RedirectRefund"
    case .closeOrder, .askStore, .mergeUser, .eraseUser, .answerComplaint, .approveComplaintRefund,
      .refuseComplaintRefund,
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
    case .extend: "subscription.extend"
    case .extendAll: "product.extend"
    case .redirect: "refund.redirect"
    case .mergeUser: "user.merge"
    case .eraseUser: "user.erase"
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
    case .extend: BilingualText("Extend", "延长续订日期")
    case .extendAll: BilingualText("Extend for all subscribers", "延长全部订阅")
    case .redirect: BilingualText("Send to a bank account", "转至银行账户")
    case .mergeUser: BilingualText("Merge another user into this one", "将其他用户并入此用户")
    case .eraseUser: BilingualText("Erase the user", "删除此用户")
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
    case .extend:
      BilingualText(
        "Apple puts off the end of the current period, at most twice in 365 days. It takes nothing back.",
        "Apple 延长本期结束时间，365 天内最多两次，且不可撤销。")
    case .extendAll:
      BilingualText(
        "Apple puts off the renewal date of every active subscriber to this product. It takes nothing back.",
        "Apple 延长该商品每个有效订阅的续订日期，且不可撤销。")
    case .redirect:
      BilingualText(
        "The payer's account takes no money. WeChat Pay sends the refund to a bank account instead. From your own"
          + " account you pay the payer yourself. What stands on a card is stored nowhere.",
        "付款人的账户无法入账，微信支付改为退至银行账户。若退至商户账户，请自行向付款人付款。卡片信息不会被保存。")
    case .mergeUser:
      BilingualText(
        "This user gets all orders, payments, entitlements, subscriptions and balances of the other one, for ever. "
          + "Nothing undoes it.",
        "此用户将永久获得另一用户的全部订单、支付、权益、订阅与余额，且无法撤销。")
    case .eraseUser:
      BilingualText(
        "What the ledger needs stays under an alias; all else of the user goes, for ever. It is refused while money is "
          + "open.",
        "账本所需的内容以代号保留，该用户的其他数据将被永久删除。仍有未了结的资金时会被拒绝。")
    case .answerComplaint, .approveComplaintRefund, .refuseComplaintRefund, .completeComplaint: complaintExplanation
    }
  }

  private var complaintExplanation: BilingualText {
    switch self {
    case .answerComplaint:
      BilingualText("The customer reads it in WeChat.", "用户会在微信中看到该回复。")
    case .approveComplaintRefund:
      BilingualText(
        "Refunds the first payment of the complaint by WeChat Pay, unless it has a refund, and tells the customer.",
        "通过微信支付退还该投诉的第一笔支付（已有退款则不再退），并告知用户。")
    case .refuseComplaintRefund:
      BilingualText("The customer reads your reason in WeChat. Nothing is refunded.", "用户会在微信中看到理由，不会退款。")
    default:
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
    case .extend: [.periodEnd, .days, .cause]
    case .extendAll: [.days, .cause, .identifier, .storefronts]
    case .redirect: [.destination, .bank, .account, .holder]
    case .mergeUser: [.user]
    case .answerComplaint, .refuseComplaintRefund: [.text]
    default: []
    }
  }
}
