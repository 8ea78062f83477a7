import PaymentPrimitives

// What the buttons and forms of actions say.
extension ConsoleAction {
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
    case .creditBalance: BilingualText("Credit", "赠送数量")
    case .giveEntitlement: BilingualText("Give an entitlement", "赠送权益")
    case .revokeEntitlement: BilingualText("Take back", "收回")
    case .setLimit: BilingualText("Set a spending limit", "设置消费限额")
    case .liftLimit: BilingualText("Lift the limit", "取消限额")
    case .mergeUser: BilingualText("Merge another user into this one", "将其他用户并入此用户")
    case .eraseUser: BilingualText("Erase the user", "删除此用户")
    case .answerComplaint: BilingualText("Answer the customer", "回复用户")
    case .approveComplaintRefund: BilingualText("Refund, and say so", "退款并告知")
    case .refuseComplaintRefund: BilingualText("Refuse the refund", "拒绝退款")
    case .completeComplaint: BilingualText("End the complaint", "处理完成")
    case .note, .notePayment: BilingualText("Add a note", "添加备注")
    case .retryAll: BilingualText("Try all again", "全部重试")
    case .redriveAll: BilingualText("Send all parked again", "重发全部已停放的通知")
    case .reconcile: BilingualText("Compare now", "立即对账")
    case .decideRefund: BilingualText("Decide the refund", "裁定退款")
    case .pauseEndpoint: BilingualText("Pause", "暂停发送")
    case .resumeEndpoint: BilingualText("Resume", "恢复发送")
    case .applyNotification: BilingualText("Work it again", "重新处理")
    case .assign: BilingualText("Assign", "指派")
    case .askApple: BilingualText("Ask Apple about this order number", "向 Apple 查询此订单号")
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
          + "open. Only a debt and a subscription that renews can be passed over; both then stay with the alias.",
        "账本所需的内容以代号保留，该用户的其他数据将被永久删除。仍有未了结的资金时会被拒绝；只有欠款与仍会续订的订阅可以强制忽略，二者之后归于代号。")
    case .creditBalance, .giveEntitlement, .revokeEntitlement, .setLimit, .liftLimit: userExplanation
    case .answerComplaint, .approveComplaintRefund, .refuseComplaintRefund, .completeComplaint: complaintExplanation
    case .note, .notePayment, .retryAll, .redriveAll, .reconcile, .decideRefund, .pauseEndpoint, .resumeEndpoint,
      .applyNotification, .assign, .askApple:
      laterExplanation
    }
  }

  private var laterExplanation: BilingualText {
    switch self {
    case .note, .notePayment:
      BilingualText(
        "The note stands in the timeline, for your team alone. Nobody can change it.", "备注会写入时间线，仅团队可见，且不可修改。")
    case .assign:
      BilingualText(
        "Says who works on it, so that nobody does it twice. It changes nothing else.", "注明由谁处理，避免重复处理；不影响其他内容。")
    case .askApple:
      BilingualText(
        "Asks Apple which payments the number in its mail to the customer stands for. Each is verified and taken in.",
        "向 Apple 查询其邮件中的订单号对应哪些支付；每笔支付验签后入账。")
    case .retryAll:
      BilingualText(
        "Tries every stopped change of this app again, with the newest facts. What was granted is not granted twice.",
        "用最新数据重试本应用全部被中止的变更；已入账的不会重复入账。")
    case .redriveAll:
      BilingualText(
        "Sends up to 100 parked messages again, each under its own id.", "重发最多 100 条已停放的消息，各自编号不变。")
    case .reconcile:
      BilingualText(
        "Asks WeChat Pay for the bill of that day, or Apple for its records, and puts right what it can.",
        "向微信支付获取当日账单，或向 Apple 读取记录，并修正可修正的差异。")
    case .pauseEndpoint:
      BilingualText(
        "Nothing is sent there until somebody resumes. Everything is kept, and what is on its way still arrives.",
        "恢复之前不再发送；消息全部保留，已发出的仍会送达。")
    case .resumeEndpoint:
      BilingualText("Sends what was kept, in its order.", "按顺序发送保留的消息。")
    case .applyNotification:
      BilingualText(
        "Verifies the notification again, and applies what it says by its own dates: nothing newer is changed.",
        "重新验签，并按其签名时间处理；不会覆盖更新的数据。")
    default:
      BilingualText(
        "Two statements of Apple contradict each other. What you decide is what the ledger follows.",
        "Apple 的两份声明相互矛盾，账本以您的裁定为准。")
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
}
