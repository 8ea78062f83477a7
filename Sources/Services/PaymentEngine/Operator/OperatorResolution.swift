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
  /// Write off the debt of a balance.
  case writeOff
  /// Send a stuck refund to a bank account.
  case redirectRefund
  /// Credit the payer in the store's own console for merchants.
  case atStore
  /// Answer a complaint, and end it.
  case answerComplaint
  /// Send parked notifications off again.
  case redriveForwards

  package var call: String {
    switch self {
    case .claim, .retry, .refund, .release: "POST /v1/operator/payments/{transactionId}/\(rawValue)"
    case .decideRefund: "POST /v1/operator/payments/{transactionId}/decide-refund"
    case .setAside: "POST /v1/operator/payments/{transactionId}/set-aside"
    case .redrive: "POST /v1/operator/deliveries/{deliveryId}/redrive"
    case .configure: "counterfoil config check"
    case .reconcile: "POST /v1/operator/reconciliations"
    case .writeOff: "POST /v1/operator/users/{userId}/balances/{unit}/write-off"
    case .redirectRefund: "POST /v1/operator/refunds/{refundNumber}/redirect"
    case .atStore: "the store's console for merchants"
    case .answerComplaint: "POST /v1/operator/complaints/{complaintId}/answer"
    case .redriveForwards: "counterfoil forwards --redrive"
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
        "Its order was lost with the time since the backup. Your backend knows whose it was: give it to that user.",
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
