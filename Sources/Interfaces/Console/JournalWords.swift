import PaymentModel
import PaymentPrimitives

/// How the timeline tells an event of the journal.
struct JournalWords {
  /// Which part of the timeline shows it.
  enum Topic: String, CaseIterable {
    case money, store, backend, operators
  }

  let title: BilingualText
  let topic: Topic
  /// The class of its mark: money moved, something failed, somebody waits.
  let mark: String

  private init(of topic: Topic, _ english: String, _ chinese: String, mark: String = "") {
    title = BilingualText(english, chinese)
    self.topic = topic
    self.mark = mark
  }

  /// An event that is not listed, as of a newer version, is shown by its name.
  static func of(_ name: String) -> JournalWords {
    known[name] ?? JournalWords(of: .store, name, name)
  }

  private static func paid(_ english: String, _ chinese: String) -> JournalWords {
    JournalWords(of: .money, english, chinese, mark: "money")
  }

  private static func store(_ english: String, _ chinese: String, mark: String = "") -> JournalWords {
    JournalWords(of: .store, english, chinese, mark: mark)
  }

  private static func fault(in topic: Topic, _ english: String, _ chinese: String) -> JournalWords {
    JournalWords(of: topic, english, chinese, mark: "fault")
  }

  private static func operators(_ english: String, _ chinese: String) -> JournalWords {
    JournalWords(of: .operators, english, chinese)
  }

  private static let known: [String: JournalWords] = orders.merging(payments) { first, _ in first }
    .merging(subscriptions) { first, _ in first }.merging(rest) { first, _ in first }

  private static let orders: [String: JournalWords] = [
    "order.created": store("Order written down", "订单已创建"),
    "order.paid": paid("Order paid", "订单已支付"),
    "order.paidLate": paid("Order paid after it was closed", "订单关闭后支付"),
    "order.pairingMoved": paid("The order's payment changed", "订单对应的支付已变更"),
    "order.derived": paid("Order made from the payment", "根据支付创建订单"),
    "order.approvalPending": store("A parent has to allow the purchase", "等待家长批准", mark: "ask"),
    "order.closed.customerGaveUp": store("Closed: the customer gave up", "已关闭：用户放弃"),
    "order.closed.expired": store("Closed: its time was over", "已关闭：超时"),
    "order.closed.closedByBackend": store("Closed by the team", "已由团队关闭"),
    "order.closed.prepayRefused": fault(in: .store, "Closed: WeChat Pay refused it", "已关闭：微信支付拒绝"),
    "order.closed.replaced": store("Closed: replaced by a newer order", "已关闭：被新订单取代"),
    "order.closed.alreadyOwned": store("Closed: the product is owned already", "已关闭：已拥有该商品"),
    "weChatPay.prepayRefused": fault(in: .store, "WeChat Pay refused the order", "微信支付拒绝下单"),
    "weChatPay.prepared": store("WeChat Pay opened the order", "微信支付已下单"),
    "weChatPay.prepareUnknown": store("WeChat Pay did not answer", "微信支付未应答", mark: "ask"),
    "weChatPay.closing": store("Closing at WeChat Pay", "正在微信支付处关闭"),
    "weChatPay.closed": store("Closed at WeChat Pay", "已在微信支付处关闭"),
  ]

  private static let payments: [String: JournalWords] = [
    "payment.verified": paid("Payment verified", "支付已核验"),
    "payment.fulfilled": paid("Matched and granted", "已匹配并入账"),
    "payment.unclaimed": JournalWords(of: .money, "Nobody is known for the payment", "支付尚无归属", mark: "ask"),
    "payment.held": fault(in: .money, "Payment held", "支付被暂扣"),
    "payment.revoked": JournalWords(of: .money, "Taken back by the store before a grant", "入账前被商店撤销", mark: "ask"),
    "payment.imported": paid("Known from the earlier system", "由旧系统导入"),
    "payment.reversed": JournalWords(of: .money, "Grant taken back", "入账已冲正", mark: "ask"),
    "payment.reinstated": paid("Grant given back", "入账已恢复"),
    "payment.newsKept": store("News of the payment kept", "已保存该支付的新消息"),
    "payment.claimKept": store("A claim of the payment kept", "已保存对该支付的认领"),
    "payment.orderMoved": paid("Payment moved to another order", "支付已移至另一订单"),
    "payment.echo": store("The store told the purchase under another id", "商店以另一编号告知同一购买"),
    "payment.idsDisagree": fault(in: .store, "The ids of the purchase disagree on a refund", "同一购买的编号对退款说法不一"),
    "payment.idsAgree": store("The ids of the purchase agree again", "同一购买的编号已一致"),
    "payment.refundConfirmedByOperator": operators("An operator confirmed the refund", "操作员确认退款成立"),
    "payment.refundUndoneByOperator": operators("An operator undid the refund", "操作员撤销退款"),
    "payment.ownerLearnedLate": store("Its owner was learned late", "归属得知较晚"),
    "payment.contradicted": fault(in: .store, "Two statements of WeChat Pay differ", "微信支付两次说法不一致"),
    "payment.environmentLearned": store("Apple named the environment", "Apple 告知环境"),
    "payment.finishedHere": store("Finished at Apple by the server", "服务器已在 Apple 处结束交易"),
    "payment.notFinishedHere": store("Not finished at Apple by the server", "服务器未能在 Apple 处结束交易"),
    "payment.tokenSet": store("Order id set at Apple", "已在 Apple 处写入订单号"),
    "payment.tokenNotSet": store("Order id not set at Apple", "未能在 Apple 处写入订单号"),
    "payment.setAside": operators("Set aside by an operator", "操作员搁置"),
    "payment.released": operators("Released by an operator", "操作员解除搁置"),
    "payment.retryAsked": operators("An operator asked to decide again", "操作员要求重新判定"),
  ]

  private static let subscriptions: [String: JournalWords] = [
    "line.extended": store("Renewal put off", "续订日期已延后"),
    "line.began": store("Subscription began", "订阅开始"),
    "line.renewed": paid("Subscription renewed", "订阅已续订"),
    "line.periodAdded": store("Period added", "已增加周期"),
    "line.renews": store("The subscription renews", "订阅将自动续订"),
    "line.endsWithItsPeriod": store("The subscription ends with its period", "订阅将在本周期后结束"),
    "line.renewsToAnother": store("The subscription renews to another product", "订阅将续订为另一商品"),
    "line.billingRetry": store("Apple retries the charge", "Apple 正在重试扣款", mark: "ask"),
    "line.billingRecovered": paid("The charge succeeded", "扣款已恢复"),
    "line.gracePeriod": store("Grace period", "宽限期", mark: "ask"),
    "line.expired": store("Subscription expired", "订阅已到期"),
    "line.priceIncreasePending": store("A price increase waits for consent", "涨价等待同意"),
    "line.priceIncreaseAccepted": store("Price increase accepted", "已同意涨价"),
    "line.newsKept": store("News of the subscription kept", "已保存订阅的新消息"),
  ]

  private static let rest: [String: JournalWords] = [
    "operator.noted": operators("A note", "备注"),
    "user.merged": operators("The user was merged into another one", "用户已并入其他用户"),
    "grant.periodChanged": paid("The granted period changed", "权益期限已变更"),
    "right.moved": paid("Entitlement moved", "权益已转移"),
    "right.shared": paid("Entitlement shared", "权益已共享"),
    "refund.asked": JournalWords(of: .money, "Refund asked for", "已申请退款", mark: "ask"),
    "refund.madeAtStore": JournalWords(of: .money, "Refund made at the store", "商店侧已退款", mark: "ask"),
    "refund.underWay": JournalWords(of: .money, "Refund under way", "退款处理中", mark: "ask"),
    "refund.done": paid("Refund done", "退款完成"),
    "refund.failed": fault(in: .money, "Refund failed", "退款失败"),
    "refund.stuck": fault(in: .money, "Refund stuck", "退款受阻"),
    "consumption.asked": store("Apple asks how far it was used", "Apple 询问使用情况", mark: "ask"),
    "consumption.askedTooLate": fault(in: .store, "Apple's question came too late to answer", "Apple 的询问已来不及答复"),
    "consumption.answered": store("Apple was answered", "已答复 Apple"),
    "consumption.notAnswered": store("Apple was not answered", "未答复 Apple"),
    "consumption.refused": fault(in: .store, "Apple refused the answer", "Apple 拒绝了答复"),
    "complaint.opened": fault(in: .store, "The customer complained at WeChat Pay", "用户在微信支付投诉"),
    "complaint.repeated": fault(in: .store, "The customer complained again", "用户再次投诉"),
    "complaint.answered": operators("An operator answered the complaint", "操作员回复投诉"),
    "complaint.refundApproved": operators("An operator approved the refund of a complaint", "操作员同意投诉退款"),
    "complaint.refundRefused": operators("An operator refused the refund of a complaint", "操作员拒绝投诉退款"),
    "complaint.completed": operators("An operator ended the complaint", "操作员完成投诉处理"),
    "complaint.done": store("The complaint is over", "投诉已结束"),
    "delivery.parked": fault(in: .backend, "Delivery parked", "发货通知已停放"),
    "delivery.redriven": operators("Delivery sent again by an operator", "操作员重发发货通知"),
    "import.delivered": store("Delivered by the earlier system", "旧系统已发货"),
    "invariant.broken": fault(in: .money, "Stopped: a rule of money would have been broken", "已中止：会违反资金规则"),
    "event.told": JournalWords(of: .backend, "An event for the backend", "通知后端的事件"),
    "event.parked": fault(in: .backend, "The backend did not take an event for 30 days", "后端 30 天未接收某事件"),
    "change.tookEffect": paid("A stopped change took effect", "被中止的变更已生效"),
  ]
}
