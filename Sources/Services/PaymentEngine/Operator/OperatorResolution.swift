package import PaymentModel
package import PaymentPrimitives

/// An operator's action on a row of the queue.
package enum OperatorAct: String, Hashable, CaseIterable, Sendable {
  /// Give the payment to a user.
  case claim
  /// Decide about it again, and retry what was stopped.
  case retry
  /// Refund the money, at WeChat Pay.
  case refund
  /// Set it aside with a reason.
  case setAside
  case release
  /// Decide a refund on which the ids of a purchase disagree.
  case decideRefund
  case redrive
  /// Change the configuration, and let the server read it again.
  case configure
  /// Compare a day with the store's bill.
  case reconcile
  /// Debit balances again, under the same idempotency keys.
  case repeatDebits

  package var call: String {
    switch self {
    case .claim, .retry, .refund, .release: "POST /v1/operator/payments/{transactionId}/\(rawValue)"
    case .decideRefund: "POST /v1/operator/payments/{transactionId}/decide-refund"
    case .setAside: "POST /v1/operator/payments/{transactionId}/set-aside"
    case .redrive: "POST /v1/operator/deliveries/{deliveryId}/redrive"
    case .configure: "counterfoil config check"
    case .reconcile: "POST /v1/operator/reconciliations"
    case .repeatDebits: "POST /v1/users/{userId}/balances/{unit}/debits"
    }
  }
}

/// How a row leaves the operator's queue.
package struct OperatorResolution: Hashable, Sendable {
  /// The possible actions, the usual one first.
  package let acts: [OperatorAct]
  package let advice: BilingualText

  init(_ acts: [OperatorAct], _ english: String, chinese: String) {
    self.acts = acts
    self.advice = BilingualText(english, chinese)
  }
}

extension HoldReason {
  /// How a payment that is held for this reason leaves the queue.
  package var resolution: OperatorResolution {
    switch self {
    case .amountDiffers, .currencyDiffers, .merchantDiffers, .storeAppDiffers, .orderUnknown, .orderLost:
      chargeResolution
    case .productUnknown, .productKindDiffers, .environmentUnknown, .unknownToApple, .boughtBeforeCutOver,
      .orderFrozen, .released:
      retryResolution
    case .boughtAgainAfterRefund:
      OperatorResolution(
        [.claim, .setAside], "Ask the buyer whether they bought it again, then give it to them.",
        chinese: "请向购买者确认是否再次购买，然后认领给其本人。")
    case .quantityOutOfRange:
      OperatorResolution(
        [.claim, .setAside], "Compare the quantity with the store, then give it to its buyer.",
        chinese: "请与商店核对数量，然后认领给购买者。")
    case .ownershipUnknown:
      OperatorResolution(
        [.claim, .setAside], "Ask who uses it; a right can be given to that user.", chinese: "请确认使用者，可将权益认领给该用户。")
    case .familyShared:
      OperatorResolution(
        [.setAside], "Family sharing gives no units, so no user is owed anything. Set it aside.",
        chinese: "家人共享不产生余额，无需交付，请搁置。")
    case .ownerAmbiguous, .orderOfAnotherUser, .tokenOfAnotherUser, .tokenUserAmbiguous, .accountOfAnotherUser:
      OperatorResolution(
        [.claim, .setAside], "Ask the users who may have paid, then give it to the buyer.",
        chinese: "请询问可能的用户，然后认领给购买者。")
    case .notDeviceEvidence, .deviceDiffers, .deviceProofMissing, .claimLimit:
      OperatorResolution(
        [.claim, .setAside], "Ask the presenter for Apple's invoice, then give it to the buyer.",
        chinese: "请向提交者索取 Apple 发票，然后认领给购买者。")
    }
  }

  /// For what an order decides. A charge that differs from its order is never granted.
  private var chargeResolution: OperatorResolution {
    switch self {
    case .orderUnknown:
      OperatorResolution(
        [.claim, .refund, .setAside],
        "Give it to a user as one of their unpaid orders or as a product, where amount, merchant and app are equal.",
        chinese: "若金额、商户与 appid 均一致，可作为该用户的未支付订单或某商品认领；否则退款。")
    case .orderLost:
      OperatorResolution(
        [.claim, .retry, .refund, .setAside],
        "Its order was lost with the time since the backup. Your backend's records say whose it was: give it to that user.",
        chinese: "其订单在备份之后创建，已丢失。请在后端记录中查明订单属于哪位用户，然后认领给该用户。")
    case .amountDiffers, .storeAppDiffers:
      OperatorResolution(
        [.refund, .setAside], "Refund it, or set it aside.", chinese: "请退款，或搁置。")
    default:
      OperatorResolution(
        [.setAside], "It cannot be refunded from here: refund it at the merchant that was paid, then set it aside.",
        chinese: "无法由此退款：请在收款商户处退款，然后搁置。")
    }
  }

  /// For reasons with a cause that must be fixed first.
  private var retryResolution: OperatorResolution {
    switch self {
    case .productUnknown:
      OperatorResolution(
        [.retry, .setAside], "Add the store's product id to a product of the configuration, then retry.",
        chinese: "请在配置中为某商品添加该商店商品号，然后重试。")
    case .productKindDiffers:
      OperatorResolution(
        [.retry, .setAside], "Set the product's kind in the configuration to the store's kind, then retry.",
        chinese: "请使配置中的商品类型与商店一致，然后重试。")
    case .environmentUnknown:
      OperatorResolution(
        [.retry, .setAside], "Configure the key of the App Store Server API. Apple is then queried.",
        chinese: "请配置 App Store Server API 密钥，系统随后会询问 Apple。")
    case .unknownToApple:
      OperatorResolution(
        [.retry, .claim, .setAside], "Retry to ask Apple again; give it to a user only if Apple confirms it.",
        chinese: "请重试以再次询问 Apple；仅在 Apple 确认后方可认领。")
    case .boughtBeforeCutOver:
      OperatorResolution(
        [.retry, .claim, .setAside], "Import the earlier system's list of deliveries, or give it to its buyer.",
        chinese: "请导入旧系统的发货清单后重试，或认领给购买者。")
    case .orderFrozen:
      OperatorResolution(
        [.retry, .setAside], "Fix what froze its order, then retry. It is also retried automatically.",
        chinese: "请处理冻结订单的原因后重试；系统也会自动重试。")
    default:
      OperatorResolution(
        [.claim, .retry, .setAside], "Give it to its buyer, or set it aside again.", chinese: "请认领给购买者，或再次搁置。")
    }
  }
}

extension StoppedChange.Kind {
  /// How a stopped change leaves the queue. Each is also retried automatically: at start and hourly.
  package var resolution: OperatorResolution {
    switch self {
    case .brokenRule, .noPlan:
      OperatorResolution(
        [.retry], "Read the finding, fix that row or setting, then retry.",
        chinese: "请根据所发现的问题修正数据或配置，然后重试。")
    case .rowsInconsistent:
      OperatorResolution(
        [.retry], "Run `counterfoil audit`; restore a backup if rows were changed by hand, then retry.",
        chinese: "请运行 `counterfoil audit`；若数据曾被手工改动，请恢复备份后重试。")
    case .balanceOutOfRange:
      OperatorResolution(
        [.retry], "Debit the balance that is too large, then retry.", chinese: "请先扣减过大的余额，然后重试。")
    case .orderFrozen:
      OperatorResolution(
        [.retry], "Fix what froze the order. Then it is retried automatically.",
        chinese: "请处理冻结订单的原因，系统随后会自动重试。")
    case .setAside:
      OperatorResolution(
        [.release], "It is new evidence of a payment that is set aside: release that to let it count.",
        chinese: "这是已搁置支付的新凭证：解除搁置后才会生效。")
    case .stoppedByEarlierVersion:
      OperatorResolution(
        [.retry], "Nothing: the evidence that the earlier version kept is retried automatically.",
        chinese: "通常无需处理：系统会按旧版本保留的凭证自动重试。")
    }
  }
}

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

  /// Every kind of row, each once.
  package static let rows: [Row] =
    HoldReason.allCases.map { Row(name: "held(\($0.rawValue))", resolution: $0.resolution) }
    + [Row(name: "unclaimed", resolution: unclaimed), Row(name: "setAside", resolution: setAside)]
    + StoppedChange.Kind.allCases.map { Row(name: "stopped(\($0.rawValue))", resolution: $0.resolution) }
    + [Row(name: "refund disputed", resolution: disputed), Row(name: "delivery parked", resolution: parked)] + gaps
    + [Row(name: "day not compared", resolution: uncompared), Row(name: "backup gap", resolution: backupGap)]

  /// What the configuration lacks, and grants of an earlier version without a stored promise. Nothing stops for them:
  /// the content of such a grant stays unchanged. The text of each row says what to write.
  private static let gaps = ["appMissing", "productMissing", "storeProductMissing", "kindChanged", "promiseUnknown"].map
  { word in
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
