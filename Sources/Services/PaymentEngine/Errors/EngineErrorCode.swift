package import PaymentPrimitives

package enum EngineErrorCode: String, ErrorCode {
  case productUnknown = "product_unknown"
  /// The product, or the whole app, is not sold any more.
  case productRetired = "product_retired"
  /// The product is not sold at that store.
  case productNotSoldAtStore = "product_not_sold_at_store"
  /// That quantity of the product cannot be bought at once.
  case quantityNotAllowed = "quantity_not_allowed"
  /// This installation does not accept payments of that store.
  case storeNotConfigured = "store_not_configured"
  /// Virtual goods on iOS may be sold only by In-App Purchase.
  case virtualGoodsNeedInAppPurchase = "virtual_goods_need_in_app_purchase"
  /// The order lacks what its trade type at WeChat Pay requires, or contains something that WeChat Pay rejects.
  case weChatPayOrderInvalid = "wechat_pay_order_invalid"
  /// WeChat Pay did not open the order.
  case weChatPayPrepayRefused = "wechat_pay_prepay_refused"
  /// The user has too many open orders that they may be paying.
  case tooManyOpenOrders = "too_many_open_orders"
  /// The order has no payment that can be refunded from here.
  case refundNotPossible = "refund_not_possible"
  /// The refund would exceed the payment.
  case refundTooLarge = "refund_too_large"
  /// No bill of that day can be compared now.
  case billNotReady = "bill_not_ready"
  case dayUnknown = "day_unknown"
  /// No comparison of that day with a store's bill was tried.
  case dayNotCompared = "day_not_compared"
  /// Apple says that no order of this app has that number.
  case orderNumberUnknown = "order_number_unknown"
  /// Apple does not put off that renewal date.
  case extensionNotPossible = "extension_not_possible"
  /// Apple knows no extension of that product with that identifier.
  case extensionUnknown = "extension_unknown"
  /// Apple was asked, and gave no answer that can be used.
  case appStoreUnanswered = "app_store_unanswered"
  /// No refund has that number.
  case refundUnknown = "refund_unknown"
  /// WeChat Pay does not send the refund to that account.
  case refundNotRedirected = "refund_not_redirected"
  case complaintUnknown = "complaint_unknown"
  /// The complaint, or WeChat Pay, does not allow this operation.
  case complaintNotChanged = "complaint_not_changed"
  /// WeChat Pay was told something about a complaint, and did not say whether it took it.
  case complaintOutcomeUnknown = "complaint_outcome_unknown"
  /// WeChat Pay gave no answer that can be used.
  case weChatPayUnanswered = "wechat_pay_unanswered"
  /// The caller has no such order.
  case orderUnknown = "order_unknown"
  /// The idempotency key was used for another request.
  case idempotencyKeyReused = "idempotency_key_reused"
  /// The reference belongs to another order.
  case referenceAlreadyUsed = "reference_already_used"
  /// The app may not give references or metadata.
  case referenceNotAllowed = "reference_not_allowed"
  /// The evidence is not data that a store signs.
  case evidenceUnreadable = "evidence_unreadable"
  /// Neither evidence nor a transaction id was sent.
  case evidenceMissing = "evidence_missing"
  /// A transaction id alone cannot be looked up here.
  case transactionUnknown = "transaction_unknown"
  /// Too many signatures of unknown origin at once.
  case verificationBusy = "verification_busy"
  /// The notification is not a signed payload.
  case notificationUnreadable = "notification_unreadable"
  /// The notification is for an app, key or environment that is not known here yet.
  case notificationNotOurs = "notification_not_ours"
  /// An operator asked for a notification that was never received.
  case notificationUnknown = "notification_unknown"
  case paymentUnknown = "payment_unknown"
  /// The payment has an owner already, or can have none.
  case paymentNotClaimable = "payment_not_claimable"
  /// The present state of the payment does not allow this operation.
  case actNotPossible = "act_not_possible"
  case deliveryUnknown = "delivery_unknown"
  /// The database has no such event: it was restored to an earlier moment, or the id was changed.
  case eventUnknown = "event_unknown"
  case keyUnknown = "key_unknown"
  /// The user has fewer units than the debit needs.
  case insufficientBalance = "insufficient_balance"
  /// The configuration names no ceiling for credits of that unit.
  case creditUnitUnknown = "credit_unit_unknown"
  /// The credit is more than what is left of the user's ceiling for the day.
  case creditCeilingReached = "credit_ceiling_reached"
  /// No product of the catalog gives an entitlement of that name.
  case entitlementUnknown = "entitlement_unknown"
  /// A promotional entitlement may not end then.
  case promotionalEndNotAllowed = "promotional_end_not_allowed"
  /// The user has as many promotional entitlements as one may have.
  case promotionalLimitReached = "promotional_limit_reached"
  /// The user was given nothing under that id.
  case promotionalUnknown = "promotional_unknown"
  /// The balance cannot be spent until its debt is settled.
  case balanceFrozen = "balance_frozen"
  /// The balance has no debt that could be written off.
  case balanceNotInDebt = "balance_not_in_debt"
  /// The app has nothing of that user.
  case userUnknown = "user_unknown"
  /// The user was merged into another one than the request names.
  case userAlreadyMerged = "user_already_merged"
  /// The user who should receive everything was merged into another one.
  case mergeTargetMerged = "merge_target_merged"
  case mergeWithItself = "merge_with_itself"
  /// The user has more orders or payments than one commit moves.
  case userTooLarge = "user_too_large"
  /// Something of the user is still open, such as a refund.
  case erasureNotPossible = "erasure_not_possible"
  /// The user is being erased.
  case userBeingErased = "user_being_erased"
  /// The list of erasures outside the database cannot be written.
  case erasureListUnavailable = "erasure_list_unavailable"
  /// The order would pass what the user may spend in the month.
  case spendingLimitReached = "spending_limit_reached"
  /// The user may not request that offer.
  case offerNotAllowed = "offer_not_allowed"
  /// The name of the offer, product or transaction cannot be signed.
  case offerNotSignable = "offer_not_signable"
  /// The change would violate an invariant of money; it was rolled back.
  case invariantBroken = "invariant_broken"
  /// The database could not report whether the change was written.
  case outcomeUnknown = "outcome_unknown"
  /// The database cannot be used at present.
  case storeUnavailable = "database_unavailable"
  /// The database was restored from a backup, and the stores have not answered yet what happened since.
  case backupGapOpen = "backup_gap_open"
  /// This node is about to end; the others go on.
  case nodeDraining = "node_draining"

  package var meaning: BilingualText {
    switch self {
    case .productUnknown: BilingualText("There is no such product.", "没有该商品。")
    case .productRetired: BilingualText("The product is no longer sold.", "该商品已停止销售。")
    case .productNotSoldAtStore: BilingualText("The product is not sold at that store.", "该商品不在所选商店出售。")
    case .quantityNotAllowed: BilingualText("That quantity of the product cannot be ordered.", "该商品不能以此数量下单。")
    case .storeNotConfigured: .init("This server does not accept that store's payments.", "本服务器未配置该商店的支付。")
    case .virtualGoodsNeedInAppPurchase, .weChatPayOrderInvalid, .weChatPayPrepayRefused, .tooManyOpenOrders,
      .refundNotPossible, .refundTooLarge, .billNotReady, .dayUnknown, .refundUnknown, .refundNotRedirected,
      .complaintUnknown, .complaintNotChanged, .complaintOutcomeUnknown, .weChatPayUnanswered:
      weChatPayMeaning
    case .dayNotCompared, .orderNumberUnknown, .appStoreUnanswered, .extensionNotPossible, .extensionUnknown,
      .orderUnknown, .notificationUnknown, .deliveryUnknown, .keyUnknown, .eventUnknown, .actNotPossible:
      operatorMeaning
    case .insufficientBalance, .balanceFrozen, .balanceNotInDebt, .offerNotAllowed, .offerNotSignable,
      .creditUnitUnknown, .creditCeilingReached:
      walletMeaning
    case .entitlementUnknown, .promotionalEndNotAllowed, .promotionalLimitReached, .promotionalUnknown:
      PromotionalErrorWords.meaning(of: self)
    case .userUnknown, .userAlreadyMerged, .mergeTargetMerged, .mergeWithItself, .userTooLarge, .spendingLimitReached,
      .erasureNotPossible, .userBeingErased, .erasureListUnavailable:
      userMeaning
    case .idempotencyKeyReused: .init("The idempotency key was used for another request.", "该幂等键已用于另一个请求。")
    case .referenceAlreadyUsed: .init("The reference belongs to another order.", "该业务单号已属于另一个订单。")
    case .referenceNotAllowed:
      BilingualText(
        "The app on the phone may not set reference or metadata.", "不允许客户端设置业务单号或附加数据。")
    case .evidenceUnreadable:
      BilingualText(
        "The evidence is neither signed data nor a receipt of the App Store.", "凭证既不是 App Store 的签名数据，也不是收据。")
    case .evidenceMissing: BilingualText("No evidence was sent.", "未提交凭证。")
    case .transactionUnknown: .init("No payment with that transaction id is known.", "没有该交易号对应的支付。")
    case .verificationBusy:
      BilingualText("Too many unknown signatures are being checked.", "正在检查的未知签名过多。")
    case .notificationUnreadable:
      BilingualText("The notification is not a signed payload.", "该通知不是签名数据。")
    case .notificationNotOurs:
      BilingualText(
        "The notification is for an app, key or environment that is not known here.",
        "该通知所属的应用、密钥或环境在此未知。")
    case .paymentUnknown: BilingualText("There is no such payment.", "没有该支付。")
    case .paymentNotClaimable:
      BilingualText("The payment has an owner already, or can have none.", "该支付已有归属，或无法归属。")
    case .invariantBroken:
      BilingualText(
        "A rule of money would have been broken; nothing was changed.", "此更改会违反资金规则，已全部撤销。")
    case .outcomeUnknown:
      BilingualText("It is not known yet whether the change was written.", "尚无法确定此次更改是否已写入。")
    case .storeUnavailable:
      BilingualText("The database cannot be used at present.", "数据库目前不可用。")
    case .backupGapOpen:
      BilingualText(
        "The database was restored from a backup; the stores are asked what happened since.",
        "数据库已从备份恢复，正在向商店查询此后发生的变化。")
    case .nodeDraining:
      BilingualText("This node is about to end; the others go on.", "该节点即将退出，其他节点继续工作。")
    }
  }

  package var retry: RetryAdvice {
    switch self {
    case .verificationBusy, .notificationNotOurs, .outcomeUnknown, .storeUnavailable, .billNotReady,
      .backupGapOpen, .appStoreUnanswered, .weChatPayUnanswered, .nodeDraining, .userBeingErased,
      .erasureListUnavailable:
      .later
    case .productUnknown, .productRetired, .productNotSoldAtStore, .quantityNotAllowed, .storeNotConfigured,
      .virtualGoodsNeedInAppPurchase, .weChatPayOrderInvalid, .weChatPayPrepayRefused, .tooManyOpenOrders,
      .refundNotPossible, .refundTooLarge, .dayUnknown, .dayNotCompared, .orderNumberUnknown, .orderUnknown,
      .refundUnknown, .refundNotRedirected, .complaintUnknown, .complaintNotChanged,
      .complaintOutcomeUnknown,
      .extensionNotPossible, .extensionUnknown, .idempotencyKeyReused, .referenceAlreadyUsed,
      .referenceNotAllowed,
      .evidenceUnreadable, .evidenceMissing, .transactionUnknown, .notificationUnreadable,
      .paymentUnknown, .paymentNotClaimable, .actNotPossible, .deliveryUnknown, .keyUnknown,
      .notificationUnknown, .eventUnknown, .insufficientBalance, .balanceFrozen,
      .balanceNotInDebt, .offerNotAllowed, .offerNotSignable, .invariantBroken, .creditUnitUnknown,
      .creditCeilingReached, .userUnknown, .userAlreadyMerged, .mergeTargetMerged, .mergeWithItself, .userTooLarge,
      .spendingLimitReached, .entitlementUnknown, .promotionalEndNotAllowed, .promotionalLimitReached,
      .promotionalUnknown, .erasureNotPossible:
      .never
    }
  }
}
