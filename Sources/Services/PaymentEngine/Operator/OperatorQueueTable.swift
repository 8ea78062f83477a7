import PaymentModel
import PaymentPrimitives

/// The table of all kinds of rows in the operator's queue.
package enum OperatorQueueTable {
  package struct Row: Hashable, Sendable {
    /// The state or kind, with its reason.
    package let name: String
    package let resolution: OperatorResolution
  }

  /// A payment without a known owner.
  static let unclaimed = OperatorResolution(
    [.claim, .setAside], "Find its buyer, by the presenter or the store's invoice, and give it to them.",
    chinese: "请通过提交者或商店发票找到购买者，并认领给其本人。")
  /// A payment that an operator has set aside.
  static let setAside = OperatorResolution(
    [.release, .refund], "Release it, or refund it. Every report counts it until then.",
    chinese: "请解除搁置，或退款；在此之前每份报告都会计入。")
  /// A purchase with ids that disagree on a refund.
  static let disputed = OperatorResolution(
    [.decideRefund], "Compare with Apple's records, and decide whether the refund is valid or undone.",
    chinese: "请与 Apple 的记录核对，决定该退款是否成立。")
  /// A delivery that is parked.
  static let parked = OperatorResolution(
    [.redrive], "Fix the backend's endpoint, then send the delivery again.", chinese: "请修复后端地址，然后重新发送。")

  /// A day of which a restored database knows nothing, or not all.
  static let uncompared = OperatorResolution(
    [.reconcile],
    "The bill of a recent day is compared by itself, after ten on the next day. Compare an older day here.",
    chinese: "近日的账单会在次日十点后自动核对；更早的日期请在此手动核对。")

  /// The time that a restored database knows nothing about.
  package static let backupGap = OperatorResolution(
    [.repeatDebits],
    "Debits of this time are lost: let your backend repeat them under the same idempotency keys. Orders are lost, too.",
    chinese: "此时段内的扣减已丢失：请让后端用相同的幂等键重新发送。此时段内的订单也已丢失。")

  static let disputedRow = Row(name: "refund disputed", resolution: disputed)
  static let parkedRow = Row(name: "delivery parked", resolution: parked)
  static let uncomparedRow = Row(name: "day not compared", resolution: uncompared)
  static let backupGapRow = Row(name: "backup gap", resolution: backupGap)
  static let contradictedRow = Row(
    name: "charge contradicted",
    resolution: OperatorResolution(
      [.retry, .refund],
      "WeChat Pay stated the charge in two ways. Compare its evidence with the merchant's console; refund if wrong.",
      chinese: "微信支付对该笔支付给出了两种不同的说明。请将凭证与商户平台核对，如有错误请退款。"))
  static let stuckRow = Row(
    name: "refund stuck",
    resolution: OperatorResolution(
      [.redirectRefund, .atStore],
      "The payer's account takes no money. Send it to a bank card, here or in WeChat Pay's console for merchants.",
      chinese: "付款人账户无法入账。请在此处或微信支付商户平台退款到银行卡。"))
  static let forwardRow = Row(
    name: "forward parked",
    resolution: OperatorResolution(
      [.redriveForwards], "Fix the address that notifications are passed on to, then send them again.",
      chinese: "请修复通知转发地址，然后重新发送。"))
  static let frozenOrderRow = Row(
    name: "order frozen",
    resolution: OperatorResolution(
      [.retry],
      "Read why a rule of money was broken, fix that, then retry its stopped change. Success lifts the freeze.",
      chinese: "请查看违反了哪条资金规则并处理，然后重试被停止的变更；成功后冻结会解除。"))
  static let frozenBalanceRow = Row(
    name: "balance frozen",
    resolution: OperatorResolution(
      [.writeOff], "The user owes units after a refund. A purchase or a write-off lifts the freeze.",
      chinese: "该用户在退款后欠有余额。再次购买或核销欠额后冻结会解除。"))
  static let differenceRow = Row(
    name: "bill differs",
    resolution: OperatorResolution(
      [.reconcile],
      "Read the differences of that day, compare each with the merchant's console, then compare the day again.",
      chinese: "请查看当日差异，逐条与商户平台核对，然后重新核对该日。"))

  static let complaintRow = Row(
    name: "complaint open",
    resolution: OperatorResolution(
      [.answerComplaint, .refund],
      "Answer the customer within 24 hours, refund what is owed, and end the complaint within 72 hours.",
      chinese: "请在 24 小时内回复用户，退还应退款项，并在 72 小时内完成处理。"))

  /// Every kind of row, each once.
  package static let rows: [Row] =
    HoldReason.allCases.map { Row(name: "held(\($0.rawValue))", resolution: $0.resolution) }
    + [Row(name: "unclaimed", resolution: unclaimed), Row(name: "setAside", resolution: setAside)]
    + StoppedChange.Kind.allCases.map { Row(name: "stopped(\($0.rawValue))", resolution: $0.resolution) }
    + [disputedRow, parkedRow, forwardRow, stuckRow, contradictedRow, frozenOrderRow, frozenBalanceRow] + gaps
    + [differenceRow, uncomparedRow, backupGapRow, complaintRow]

  /// What the configuration lacks, and grants of an earlier version without a stored promise. Nothing stops for them:
  /// the content of such a grant stays unchanged. The text of each row says what to write.
  private static let gaps = ["appMissing", "productMissing", "storeProductMissing", "kindChanged", "promiseUnknown"]
    .map(configurationRow)

  static func configurationRow(_ word: String) -> Row {
    Row(
      name: "configuration(\(word))",
      resolution: OperatorResolution(
        [.configure], "Change the configuration as the row says, and let the server reload it.",
        chinese: "请按该行的提示修改配置，并让服务器重新读取。"))
  }

  /// The page `docs/reference/operator-queue.md`.
  package static var page: String {
    let table = rows.map { row in
      let acts = row.resolution.acts.map { "`\($0.rawValue)`" }.joined(separator: ", ")
      return "| `\(row.name)` | \(acts) | \(row.resolution.advice.english)<br>\(row.resolution.advice.chinese) |"
    }
    let calls = OperatorAct.allCases.map { "| `\($0.rawValue)` | `\($0.call)` |" }
    return """
      # The operator's queue

      Each row of `GET /v1/operator/queue` has a way out. 人工处理队列中的每一行都有处理方式。

      This page is generated from the sources: `make errors` writes it. 本页由源码生成。

      Look before you act. `GET /v1/operator/payments/{store}/{environment}/{transactionId}` shows why a payment
      waits, its evidence and its journal; `counterfoil payments show` prints the same. `counterfoil search` finds it
      by any of its numbers. 操作之前请先查看该支付的原因、凭证与流水；可按任意编号查找。

      ## Rows

      | row | acts | what to do |
      |---|---|---|
      \(table.joined(separator: "\n"))

      ## Acts

      | act | call |
      |---|---|
      \(calls.joined(separator: "\n"))

      An operator's key makes these calls. Each act is written to the payment's journal with the operator's name and
      reason. `claim` grants only what rule 1 allows; `refund` exists for WeChat Pay alone: Apple refunds its own.
      以上调用需使用运维密钥；每次操作都会连同操作者与原因写入该支付的流水。

      """
  }
}
