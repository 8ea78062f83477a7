import AppStoreProtocol
import PaymentModel
import PaymentPrimitives

/// A field of an action's form. Its text is one of the action's arguments, under this name.
enum ActionField: String, CaseIterable {
  case user, order, amount
  /// Of a comparison with a store.
  case store, day
  /// Whether a refund that statements of Apple disagree on stands.
  case stands
  /// What a customer who complained reads, and how far the operator has read the talk.
  case text, talk
  /// Of an extension of renewal dates.
  case days, cause, periodEnd, identifier, storefronts
  /// Of a refund on its way to a bank account. What stands on a card is stored nowhere.
  case destination, bank, account, holder
  /// Of what a user is given without a payment.
  case units, entitlement, duration
  /// Of a spending limit.
  case currency, limit
  /// Of an erasure: the word that passes over what may be passed over.
  case force
  /// Who works on an item, and who did when the page was opened.
  case assignee, formerAssignee

  var bytesMax: Int {
    switch self {
    case .user, .entitlement: 255
    case .order: 256
    case .amount, .bank, .cause, .units, .limit: 16
    case .days: 2
    case .duration, .currency: 3
    case .store, .day, .stands, .force: 16
    case .periodEnd, .account, .destination, .talk: 32
    case .identifier: RenewalExtensionRequest.identifierBytesMax
    case .storefronts: 1024
    case .holder: 160
    case .text: 600
    case .assignee, .formerAssignee: OperatorAccount.nameBytesMax
    }
  }

  var isRequired: Bool { ![.amount, .day, .storefronts, .bank, .account, .holder, .assignee, .force].contains(self) }

  /// Whether the page fills it in and nobody changes it.
  var isGiven: Bool { self == .periodEnd || isHidden }

  /// Whether it is of no use to a reader.
  var isHidden: Bool { self == .talk || self == .formerAssignee }

  /// What may be chosen; empty for a text.
  var choices: [(value: String, words: BilingualText)] {
    switch self {
    case .cause:
      [
        (ExtendReasonCode.customerSatisfaction.name, BilingualText("Customer satisfaction", "安抚用户")),
        (ExtendReasonCode.serviceIssue.name, BilingualText("An outage or another service issue", "服务中断等问题")),
        (ExtendReasonCode.other.name, BilingualText("Another cause", "其他原因")),
        (ExtendReasonCode.undeclared.name, BilingualText("Not declared", "不说明")),
      ]
    case .store: Store.allCases.reversed().map { ($0.rawValue, Words.name(of: $0)) }
    case .stands:
      [
        ("yes", BilingualText("It stands: take the grant back", "退款成立：收回已入账内容")),
        ("no", BilingualText("It was undone: give the grant back", "退款已撤销：恢复入账")),
      ]
    case .destination:
      [
        ("merchantAccount", BilingualText("Your own bank account", "商户自己的银行账户")),
        ("payerCard", BilingualText("A debit card of the payer", "付款人的借记卡")),
      ]
    default: []
    }
  }

  var label: BilingualText {
    switch self {
    case .user: Words.user
    case .order: BilingualText("Their unpaid order", "该用户的未支付订单")
    case .amount: BilingualText("Amount in yuan; empty: all that is left", "金额（元）；留空表示全部剩余金额")
    case .text: BilingualText("What the customer reads: at most 200 characters", "用户看到的内容（最多 200 字）")
    case .store: Words.store
    case .day: BilingualText("WeChat Pay: the Beijing day, such as 2026-03-01", "微信支付：北京时间日期，如 2026-03-01")
    case .stands: BilingualText("The refund", "退款")
    case .talk: BilingualText("The talk as it was read", "已读到的协商记录")
    case .days: BilingualText("Days, 1 to 90", "天数（1 到 90）")
    case .cause: BilingualText("Cause that Apple is told", "告知 Apple 的原因")
    case .periodEnd: BilingualText("The period ends now", "目前的本期结束时间")
    case .identifier: BilingualText("Name of the request; Apple takes each once", "请求标识；Apple 对同一标识只执行一次")
    case .storefronts:
      BilingualText("Storefronts, such as CHN USA; empty: all", "国家或地区代码，如 CHN USA；留空表示全部")
    case .destination: BilingualText("Send it to", "退至")
    case .bank: BilingualText("Card: WeChat Pay's word for the bank, such as CMB_DEBIT", "借记卡：微信支付的银行代码，如 CMB_DEBIT")
    case .account: BilingualText("Card: its number", "借记卡：卡号")
    case .units: BilingualText("How many units", "数量")
    case .entitlement: BilingualText("Entitlement, as the catalog names it", "权益名称（与商品目录一致）")
    case .duration: BilingualText("For how many days, 1 to 366; support: at most 7", "天数（1 到 366；客服至多 7 天）")
    case .currency: BilingualText("Currency, such as CNY", "货币，如 CNY")
    case .limit:
      BilingualText(
        "The most in a calendar month, in the smallest unit: 20000 is 200 yuan", "一个自然月的上限，以最小货币单位计：20000 即 200 元")
    case .force:
      BilingualText(
        "Type FORCE if a debt or a subscription that renews shall not stop it; empty: they stop it",
        "若欠款或仍会续订的订阅不应阻止删除，请输入 FORCE；留空则会被阻止")
    case .assignee: BilingualText("Who works on it; empty: nobody", "处理人；留空表示无人处理")
    case .formerAssignee: BilingualText("Who worked on it", "原处理人")
    case .holder: BilingualText("Card: the name on it", "借记卡：持卡人姓名")
    }
  }
}
