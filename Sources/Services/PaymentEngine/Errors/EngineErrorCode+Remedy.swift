package import PaymentPrimitives

extension EngineErrorCode {
  package var remedy: BilingualText {
    switch self {
    case .productUnknown:
      .init(
        "Use a product id from GET /v1/products, or add the product to the configuration.",
        "请使用 GET /v1/products 返回的商品号，或在配置中添加该商品。")
    case .productRetired:
      .init(
        "Order a product from GET /v1/products. Earlier purchases of this one stay valid.",
        "请选用 GET /v1/products 返回的商品；此前购买的该商品不受影响。")
    case .productNotSoldAtStore:
      .init(
        "Give the product an App Store product id in the configuration, or order at the other store.",
        "请在配置中为该商品设置 App Store 商品号，或改用另一个商店。")
    case .quantityNotAllowed:
      .init(
        "Order 1 to 10 pieces of a consumable or non-renewing product, otherwise 1.",
        "消耗型与非续期商品可订 1 至 10 件，其他商品只能订 1 件。")
    case .storeNotConfigured: .init("Configure the store for this app, or use the other one.", "请为该应用配置此商店，或使用另一个商店。")
    case .virtualGoodsNeedInAppPurchase, .weChatPayOrderInvalid, .weChatPayPrepayRefused, .tooManyOpenOrders,
      .refundNotPossible, .refundTooLarge, .billNotReady, .dayUnknown, .refundUnknown, .refundNotRedirected,
      .complaintUnknown, .complaintNotChanged, .complaintOutcomeUnknown, .weChatPayUnanswered:
      weChatPayRemedy
    case .dayNotCompared, .orderNumberUnknown, .appStoreUnanswered, .extensionNotPossible, .extensionUnknown,
      .actNotPossible:
      operatorRemedy
    case .orderUnknown: .init("Check the id. Users see only their own orders.", "请检查订单号；用户只能看到自己的订单。")
    case .idempotencyKeyReused:
      .init(
        "Create a new key for each request. Repeat a key only with the same body.",
        "每个新请求请使用新的幂等键；重复使用时请求内容必须相同。")
    case .referenceAlreadyUsed:
      .init("Read the named order, or give the new order another reference.", "请读取所指明的订单，或为新订单使用其他业务单号。")
    case .referenceNotAllowed:
      .init("Create the order from your backend, or set referenceFromApp.", "请从后端创建订单，或为该应用开启 referenceFromApp。")
    case .evidenceUnreadable, .evidenceMissing, .transactionUnknown: evidenceRemedy
    case .verificationBusy: .init("Send the same request again after a moment.", "请稍后重新发送同一请求。")
    case .notificationUnreadable, .notificationNotOurs, .notificationUnknown: evidenceRemedy
    case .paymentUnknown: .init("Check the transaction id and the environment.", "请检查交易号与环境。")
    case .paymentNotClaimable: .init("Read the payment's journal first.", "请先查看该支付的流水。")
    case .deliveryUnknown:
      .init("Check the id; list deliveries with GET /v1/deliveries.", "请检查编号；可用 GET /v1/deliveries 查询。")
    case .keyUnknown:
      .init(
        "Check the id; list the app's keys with GET /v1/operator/keys.",
        "请检查编号；可用 GET /v1/operator/keys 查询该应用的密钥。")
    case .insufficientBalance, .balanceFrozen, .balanceNotInDebt, .offerNotAllowed, .offerNotSignable,
      .creditUnitUnknown, .creditCeilingReached:
      walletRemedy
    case .entitlementUnknown, .promotionalEndNotAllowed, .promotionalLimitReached, .promotionalUnknown:
      PromotionalErrorWords.remedy(of: self)
    case .userUnknown, .userAlreadyMerged, .mergeTargetMerged, .mergeWithItself, .userTooLarge, .spendingLimitReached,
      .erasureNotPossible, .userBeingErased, .erasureListUnavailable:
      userRemedy
    case .outcomeUnknown: .init("Send the same request again; it is safe to repeat.", "请重新发送同一请求；重复发送是安全的。")
    case .storeUnavailable, .backupGapOpen, .nodeDraining, .eventUnknown, .invariantBroken: databaseRemedy
    }
  }

  /// The remedy while the database cannot be used, or not yet.
  private var databaseRemedy: BilingualText {
    switch self {
    case .invariantBroken:
      .init(
        "The order is frozen. Run `counterfoil audit` and report what it prints.",
        "该订单已冻结。请运行 `counterfoil audit` 并报告其输出。")
    case .backupGapOpen:
      .init(
        "Wait; the log says what is unanswered (backup.gapUnanswered). `serve --without-asking` does not wait.",
        "请等待；日志中的 backup.gapUnanswered 会说明尚未得到的答复。如不等待，请使用 `serve --without-asking`。")
    case .eventUnknown:
      .init(
        "Go on with since=, a little before the last event that you have; events repeat. The database was restored.",
        "请用 since= 从您已有的最后一个事件稍早处继续；事件会重复。数据库曾被恢复。")
    case .nodeDraining:
      .init("Send the request to another node.", "请将请求发送到其他节点。")
    default:
      .init(
        "Send the same request again later; an operator finds the cause in the server's log.",
        "请稍后重新发送同一请求；运维人员可在服务器日志中查明原因。")
    }
  }

  /// The remedy for an error of the presented evidence.
  private var evidenceRemedy: BilingualText {
    switch self {
    case .evidenceUnreadable:
      .init(
        "Send the transaction's jwsRepresentation, or the receipt in Base64, unchanged. "
          + "Keep the transaction unfinished.",
        "请原样提交交易的 jwsRepresentation 或 Base64 编码的收据，并且不要结束该交易。")
    case .evidenceMissing:
      .init("Send the signed transaction or the receipt in `evidence`.", "请在 `evidence` 中提交签名交易或收据。")
    case .notificationUnreadable:
      .init(
        "Point App Store Server Notifications V2 at this URL; version 1 is not read.",
        "请将 App Store 服务器通知（版本 2）指向此地址；不支持版本 1。")
    case .notificationNotOurs:
      .init(
        "Configure the app, its key or its merchant; the store repeats the notification.",
        "请在配置中添加该应用、密钥或商户；商店会再次发送通知。")
    case .notificationUnknown:
      .init(
        "Check the id: Apple's notificationUUID, or the id of WeChat Pay's notification.",
        "请检查编号：Apple 的 notificationUUID，或微信支付通知的 id。")
    // A bare transaction id.
    default: .init("Send the signed transaction in `evidence` as well.", "请同时在 `evidence` 中提交签名交易。")
    }
  }
}
