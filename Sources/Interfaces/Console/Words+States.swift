import PaymentEngine
package import PaymentPrimitives

// What pages say for the words of the API. English pages keep these words: they stand in the manual, too.
extension Words {
  /// The kinds of what needs attention.
  static let attention = bilingual([
    AttentionItem.Kind.payment.rawValue: "支付", AttentionItem.Kind.stoppedChange.rawValue: "被中止的变更",
    AttentionItem.Kind.disputedRefund.rawValue: "有争议的退款",
    AttentionItem.Kind.contradictedCharge.rawValue: "说法矛盾的支付", AttentionItem.Kind.stuckRefund.rawValue: "受阻的退款",
    AttentionItem.Kind.parkedDelivery.rawValue: "已停放的发货通知",
    AttentionItem.Kind.parkedForward.rawValue: "已停放的转发", AttentionItem.Kind.frozenOrder.rawValue: "被冻结的订单",
    AttentionItem.Kind.frozenBalance.rawValue: "被冻结的余额",
    AttentionItem.Kind.reconciliationDifference.rawValue: "对账差异",
    AttentionItem.Kind.uncomparedDay.rawValue: "未对账的日期", AttentionItem.Kind.backupGap.rawValue: "备份缺口",
    AttentionItem.Kind.complaint.rawValue: "投诉", AttentionItem.Kind.configuration.rawValue: "配置缺失",
  ])

  /// The states of orders, payments, refunds, deliveries, notifications and complaints, as lists filter by them.
  static let states = bilingual([
    "awaitingPayment": "待支付", "paid": "已支付", "closed": "已关闭", "verified": "已验证", "fulfilled": "已入账",
    "unclaimed": "待认领", "held": "已挂起", "setAside": "已搁置", "revoked": "已撤销", "imported": "已导入",
    "reversed": "已冲正", "reinstated": "已恢复", "asked": "已申请", "underWay": "处理中", "done": "已完成", "failed": "失败",
    "stuck": "受阻", "all": "全部", "pending": "待确认", "acknowledged": "已确认", "parked": "已停放", "applied": "已生效",
    "kept": "仅保存", "open": "未完成",
  ])

  static let stores = Dictionary(uniqueKeysWithValues: Store.allCases.map { ($0.rawValue, name(of: $0)) })
  static let environments = Dictionary(
    uniqueKeysWithValues: StoreEnvironment.allCases.map { ($0.rawValue, name(of: $0)) })

  /// Why a payment is held.
  static let reasons = bilingual([
    "environmentUnknown": "环境未知", "unknownToApple": "Apple 查无此交易", "productUnknown": "商品未配置",
    "productKindDiffers": "商品类型不符", "quantityOutOfRange": "数量超出范围", "ownershipUnknown": "归属类型未知",
    "ownerAmbiguous": "归属不明确", "orderOfAnotherUser": "订单属于其他用户", "notDeviceEvidence": "凭证并非来自购买设备",
    "deviceDiffers": "设备不符", "deviceProofMissing": "缺少设备证明", "accountOfAnotherUser": "Apple 账户属于其他用户",
    "tokenOfAnotherUser": "标识属于其他用户", "tokenUserAmbiguous": "标识对应多个用户", "familyShared": "家人共享",
    "claimLimit": "已达认领上限", "boughtAgainAfterRefund": "退款后再次购买", "boughtBeforeCutOver": "切换之前购买",
    "orderFrozen": "订单已冻结", "orderUnknown": "订单未知", "orderLost": "订单已丢失", "amountDiffers": "金额不符",
    "currencyDiffers": "货币不符", "merchantDiffers": "商户不符", "storeAppDiffers": "应用不符", "released": "已解除搁置",
    "setAside": "已搁置",
  ])

  /// Why a change was stopped, and what else the rows of the queue are called.
  private static let rows = bilingual([
    "brokenRule": "违反资金规则", "noPlan": "无法判定", "rowsInconsistent": "数据不一致",
    "balanceOutOfRange": "余额超出范围", "orderFrozen": "订单已冻结", "setAside": "已搁置",
    "stoppedByEarlierVersion": "由旧版本中止", "refund disputed": "退款有争议", "delivery parked": "发货通知已停放",
    "day not compared": "当日未对账", "backup gap": "备份缺口", "charge contradicted": "支付说法矛盾",
    "refund stuck": "退款受阻", "forward parked": "转发已停放", "order frozen": "订单已冻结", "balance frozen": "余额已冻结",
    "bill differs": "账单不符", "complaint open": "投诉未完成", "appMissing": "缺少应用", "productMissing": "缺少商品",
    "storeProductMissing": "缺少 App Store 商品", "kindChanged": "商品类型已变更", "promiseUnknown": "入账内容未知",
  ])

  /// The kinds of what a search finds.
  static let hits = bilingual([
    "order": "订单", "payment": "支付", "user": "用户", "refund": "退款", "delivery": "发货通知", "notification": "商店通知",
    "complaint": "投诉",
  ])

  /// A state with its reason; English pages keep the words of the API.
  static func stateName(_ name: String, because reason: String? = nil, in language: Language) -> String {
    let words = states[name]?[language] ?? name
    guard let reason else { return words }
    return words + BilingualText(": ", "：")[language] + (reasons[reason]?[language] ?? reason)
  }

  /// The name of a row of the queue, such as `held(productUnknown)`.
  package static func row(_ name: String, _ language: Language) -> String {
    guard language == .chinese else { return name }
    let parts = name.split(separator: "(", maxSplits: 1)
    guard parts.count == 2, name.hasSuffix(")") else { return rows[name]?[language] ?? states[name]?[language] ?? name }
    let inner = String(parts[1].dropLast())
    switch parts[0] {
    case "held": return stateName("held", because: inner, in: language)
    case "stopped": return "被中止：" + (rows[inner]?[language] ?? inner)
    case "configuration": return "配置：" + (rows[inner]?[language] ?? inner)
    default: return name
    }
  }

  private static func bilingual(_ chinese: [String: String]) -> [String: BilingualText] {
    Dictionary(uniqueKeysWithValues: chinese.map { ($0.key, BilingualText($0.key, $0.value)) })
  }
}
