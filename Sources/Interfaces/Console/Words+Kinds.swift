package import PaymentDatabase
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives

// What pages say for further words of the API. English pages keep these words, except for what a search tried: no page
// of the manual lists that. Each is a case of a `switch`, so that a new one cannot be without a word.
extension Words {
  package static func words(for rule: MatchRule) -> BilingualText {
    let chinese =
      switch rule {
      case .subscription: "同一订阅"
      case .exact: "精确匹配"
      case .presented: "设备提交"
      case .inferred: "推断匹配"
      case .derived: "补建订单"
      case .operator: "操作员认领"
      }
    return BilingualText(rule.rawValue, chinese)
  }

  package static func words(for flag: MatchFlag) -> BilingualText {
    let chinese =
      switch flag {
      case .paidTwice: "重复支付"
      case .boughtSomethingElse: "购买内容不符"
      case .outsideOrderWindow: "超出订单时限"
      case .severalCandidates: "多个候选订单"
      case .inferred: "推断得出"
      case .deviceProofMissing: "缺少设备证明"
      case .tokenUnseen: "未见标识"
      case .presentedByAnother: "由他人提交"
      case .late: "迟到的支付"
      case .tokenNamesUser: "标识指向用户"
      case .importedOwner: "导入的归属"
      case .boughtAgain: "退款后再次购买"
      case .observed: "仅旁路观察"
      }
    return BilingualText(flag.rawValue, chinese)
  }

  /// What a search took the text for.
  package static func words(for meaning: SearchMeaning) -> BilingualText {
    switch meaning {
    case .order: BilingualText("order", "订单号")
    case .supportCode: BilingualText("support code", "客服码")
    case .backendReference: BilingualText("reference of your backend", "后端业务单号")
    case .appReference: BilingualText("reference of the app", "应用业务单号")
    case .transaction: BilingualText("transaction", "交易号")
    case .originalTransaction: BilingualText("original transaction", "原始交易号")
    case .orderNumber: BilingualText("Apple's order number", "Apple 订单号")
    case .lineItem: BilingualText("line item", "明细号")
    case .token: BilingualText("token of a payment", "支付中的标识")
    case .refund: BilingualText("refund", "退款单号")
    case .storeRefund: BilingualText("WeChat Pay's number of a refund", "微信支付退款单号")
    case .delivery: BilingualText("delivery", "发货通知编号")
    case .notification: BilingualText("store notification", "商店通知编号")
    case .complaint: BilingualText("complaint", "投诉单号")
    case .user: BilingualText("user", "用户")
    case .request: BilingualText("request", "请求编号")
    case .appTransaction: BilingualText("Apple's app transaction", "Apple 应用交易号")
    }
  }

  package static func words(for outcome: AuditLogEntry.Outcome) -> BilingualText {
    let chinese =
      switch outcome {
      case .done: "已完成"
      case .refused: "已拒绝"
      }
    return BilingualText(outcome.rawValue, chinese)
  }

  package static func words(for kind: ProductKind) -> BilingualText {
    let chinese =
      switch kind {
      case .consumable: "消耗型"
      case .nonConsumable: "非消耗型"
      case .autoRenewable: "自动续期订阅"
      case .nonRenewing: "非续期订阅"
      }
    return BilingualText(kind.rawValue, chinese)
  }

  package static func words(for state: Entitlement.State) -> BilingualText {
    let chinese =
      switch state {
      case .active: "有效"
      case .gracePeriod: "宽限期"
      case .billingRetry: "正在重试扣款"
      case .expired: "已到期"
      case .revoked: "已撤销"
      }
    return BilingualText(state.rawValue, chinese)
  }

  package static func words(for increase: VerifiedRenewal.PriceIncrease) -> BilingualText {
    let chinese =
      switch increase {
      case .pending: "等待同意"
      case .accepted: "已同意"
      }
    return BilingualText(increase.rawValue, chinese)
  }

  package static func words(for state: NodeRecord.State) -> BilingualText {
    let chinese =
      switch state {
      case .active: "运行中"
      case .draining: "正在退出"
      case .left: "已退出"
      case .gone: "失去联系"
      }
    return BilingualText(state.rawValue, chinese)
  }

  /// Several words behind each other.
  static func listed(_ words: [String], _ language: Language) -> String {
    words.joined(separator: BilingualText(", ", "、")[language])
  }
}
