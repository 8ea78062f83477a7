import PaymentEngine
import PaymentPrimitives

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

  private static func bilingual(_ chinese: [String: String]) -> [String: BilingualText] {
    Dictionary(uniqueKeysWithValues: chinese.map { ($0.key, BilingualText($0.key, $0.value)) })
  }
}
