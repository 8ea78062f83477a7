package import AppStoreIntegration
package import PaymentEngine
package import PaymentPrimitives
package import WeChatPayIntegration

// What pages say for what a comparison with a store found, and for what a report of revenue leaves open. The English
// words are those of the API, written apart: the manual lists the API's. Each kind is a case of a `switch`, so that a
// new one cannot be without words.
extension Words {
  package static func words(for kind: ReconciliationReport.Finding.Kind) -> BilingualText {
    switch kind {
    case .missedPayment: missedPayment
    case .missedRefund: missedRefund
    case .notGranted: notGranted
    case .orderUnknown: BilingualText("order unknown", "订单未知")
    case .amountDiffers: amountDiffers
    case .orderDiffers: BilingualText("order differs", "订单不符")
    case .paymentNotInBill: BilingualText("payment not in the bill", "账单中无此支付")
    case .refundNotInBill: BilingualText("refund not in the bill", "账单中无此退款")
    case .doubledLine: doubledLine
    case .unknownEvent: BilingualText("unknown event", "未知的交易类型")
    }
  }

  package static func words(for kind: FundFlowReport.Finding.Kind) -> BilingualText {
    switch kind {
    case .notInFundFlow: BilingualText("not in the fund-flow bill", "资金账单中没有")
    case .notInTradeBill: BilingualText("not in the trade bill", "交易账单中没有")
    case .amountDiffers: amountDiffers
    case .feeDiffers: BilingualText("fee differs", "手续费不符")
    case .doubledLine: doubledLine
    case .returnedRefundDiffers: BilingualText("returned refund differs", "退回的退款与状态不符")
    case .balanceDiffers: BilingualText("balance differs", "余额不符")
    case .unknownMovement: BilingualText("unknown movement", "未知的资金变动")
    }
  }

  package static func words(for kind: AppStoreReport.Finding.Kind) -> BilingualText {
    switch kind {
    case .missedPayment: missedPayment
    case .missedRefund: missedRefund
    case .missedNotification: BilingualText("missed notification", "遗漏的通知")
    case .unreadable: BilingualText("unreadable", "无法读取")
    }
  }

  package static func words(for kind: RevenueReport.Difference.Kind) -> BilingualText {
    switch kind {
    case .notGranted: notGranted
    case .imported: BilingualText("imported", "由旧系统发货")
    case .withoutPrice: BilingualText("without price", "没有价格")
    case .upgraded: BilingualText("upgraded", "已升级")
    case .severalPieces: BilingualText("several pieces", "一次购买多件")
    case .dayNotCompared: BilingualText("day not compared", "当日未对账")
    case .feesUnknown: BilingualText("fees unknown", "手续费未知")
    case .billPaymentsDiffer: BilingualText("payments differ from the bill", "收款与账单不符")
    case .billRefundsDiffer: BilingualText("refunds differ from the bill", "退款与账单不符")
    case .refundFailed: BilingualText("refund failed", "退款失败")
    }
  }

  package static func words(for dimension: RevenueReport.Dimension) -> BilingualText {
    let chinese =
      switch dimension {
      case .day: "日期"
      case .month: "月份"
      case .product: "商品"
      case .storefront: "店面"
      }
    return BilingualText(dimension.rawValue, chinese)
  }

  /// Whether there was a fund-flow bill to compare. English pages keep the API's word.
  package static func words(for state: FundFlowReport.State) -> BilingualText {
    let chinese =
      switch state {
      case .compared: "已核对"
      case .later: "稍后重试"
      case .refused: "无权读取"
      }
    return BilingualText(state.name, chinese)
  }

  // Reports of several kinds have these under the same name, so pages need not know which report a line is of.
  private static let missedPayment = BilingualText("missed payment", "遗漏的支付")
  private static let missedRefund = BilingualText("missed refund", "遗漏的退款")
  private static let notGranted = BilingualText("not granted", "未入账")
  private static let amountDiffers = BilingualText("amount differs", "金额不符")
  private static let doubledLine = BilingualText("doubled line", "账单行重复")

  /// The states of fund-flow bills, by their names in a stored report.
  static let fundFlows: [String: BilingualText] = {
    var known: [String: BilingualText] = [:]
    for state in [FundFlowReport.State.compared, .later(""), .refused("")] { known[state.name] = words(for: state) }
    return known
  }()

  /// The ways in which a report is divided, by their names.
  static let dimensions: [String: BilingualText] = {
    var known: [String: BilingualText] = [:]
    for dimension in RevenueReport.Dimension.allCases { known[dimension.rawValue] = words(for: dimension) }
    return known
  }()

  private static let differences: [String: BilingualText] = {
    var known: [String: BilingualText] = [:]
    for kind in AppStoreReport.Finding.Kind.allCases { known[kind.rawValue] = words(for: kind) }
    for kind in FundFlowReport.Finding.Kind.allCases { known[kind.rawValue] = words(for: kind) }
    for kind in ReconciliationReport.Finding.Kind.allCases { known[kind.rawValue] = words(for: kind) }
    for kind in RevenueReport.Difference.Kind.allCases { known[kind.rawValue] = words(for: kind) }
    return known
  }()

  /// The words for a kind of difference by its name in a report. One that only a newer version knows keeps its name.
  package static func difference(_ name: String, _ language: Language) -> String {
    differences[name]?[language] ?? name
  }

  /// What a report adds to a difference: the reason of a hold, or a state. A word of a store's bill stays as it came.
  static func detail(_ name: String, _ language: Language) -> String {
    (reasons[name] ?? states[name] ?? hits[name])?[language] ?? name
  }
}
