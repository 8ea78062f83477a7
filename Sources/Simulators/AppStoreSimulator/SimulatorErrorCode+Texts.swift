package import PaymentPrimitives

extension SimulatorErrorCode {
  package var meaning: BilingualText {
    switch self {
    case .routeUnknown: BilingualText("The simulator has nothing at this path.", "模拟器没有此路径。")
    case .methodNotAllowed:
      BilingualText("The simulator's path does not support that method.", "模拟器的此路径不支持该方法。")
    case .bodyTooLarge: BilingualText("The body is too large for the simulator.", "请求内容超过模拟器的上限。")
    case .bodyUnreadable:
      BilingualText("The body is not JSON that the simulator accepts.", "请求内容不是模拟器可接受的 JSON。")
    case .fieldInvalid: BilingualText("A field is missing or malformed.", "某个字段缺失或格式不符。")
    case .behaviourUnknown: BilingualText("There is no behaviour setting of that name.", "没有这个名称的开关。")
    case .appUnknown: BilingualText("The simulator has no such app.", "模拟器中没有此应用。")
    case .productUnknown: BilingualText("The app has no such product.", "该应用没有此商品。")
    case .accountUnknown: BilingualText("The simulator has no such account.", "模拟器中没有此账户。")
    case .transactionUnknown: BilingualText("The simulator has no such transaction.", "模拟器中没有此交易。")
    case .subscriptionUnknown: BilingualText("The simulator has no such subscription.", "模拟器中没有此订阅。")
    case .notificationUnknown: BilingualText("The simulator has no such notification.", "模拟器中没有此通知。")
    case .neverChanges: BilingualText("This never changes once it is set.", "此项设定后不能更改。")
    case .quantityNotAllowed: BilingualText("The store does not sell this quantity.", "商店不出售该数量。")
    case .alreadySubscribed: BilingualText("The account has this subscription.", "该账户已订阅。")
    case .notRenewing: BilingualText("The subscription does not renew.", "该订阅不会续订。")
    case .extensionNotAllowed: BilingualText("The subscription cannot be extended.", "该订阅不能延期。")
    case .renewalTooEarly: BilingualText("It is too early to renew.", "尚未到续订时间。")
    case .offerNotAllowed: BilingualText("This customer cannot use the offer.", "该客户不能使用此优惠。")
    case .offerSignatureInvalid:
      BilingualText("The offer's signature is not valid for this purchase.", "该优惠的签名对此次购买无效。")
    case .alreadyRefunded: BilingualText("There is not that much left to refund.", "可退款的余额不足。")
    case .nothingToRefund: BilingualText("No money moved for this transaction.", "该交易没有发生扣款。")
    case .notificationAddressMissing:
      BilingualText("The app has no address for notifications.", "该应用没有设置通知地址。")
    case .purchaseFailed:
      BilingualText("The purchase failed as configured; nothing was charged.", "按要求模拟购买失败；未扣款。")
    case .answerLost:
      BilingualText("The operation was done, and its answer was lost as configured.", "操作已完成，按要求丢失了应答。")
    case .full: BilingualText("The simulator is full.", "模拟器已满。")
    case .logUnreadable: BilingualText("The simulator's log cannot be read.", "模拟器的日志无法读取。")
    case .logTooNew:
      BilingualText("The simulator's log was written by a later version.", "模拟器的日志由更新的版本写入。")
    case .logUnavailable:
      BilingualText("The simulator's log could not be written or read.", "模拟器的日志无法写入或读取。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .routeUnknown, .methodNotAllowed:
      BilingualText("GET /simulator lists all calls.", "GET /simulator 会列出全部接口。")
    case .bodyTooLarge: BilingualText("Send at most 16 KiB.", "请发送不超过 16 KiB 的内容。")
    case .bodyUnreadable, .fieldInvalid:
      BilingualText("Correct the named place.", "请修改所指出的位置。")
    case .behaviourUnknown:
      BilingualText("GET /simulator/knobs lists all behaviour settings.", "GET /simulator/knobs 会列出全部开关。")
    case .appUnknown:
      BilingualText("Add it with PUT /simulator/apps/{bundleId}.", "请用 PUT /simulator/apps/{bundleId} 添加。")
    case .productUnknown:
      BilingualText(
        "Add it with PUT /simulator/apps/{bundleId}/products/{productId}.",
        "请用 PUT /simulator/apps/{bundleId}/products/{productId} 添加。")
    case .accountUnknown:
      BilingualText("Add it with PUT /simulator/accounts/{account}.", "请用 PUT /simulator/accounts/{account} 添加。")
    case .transactionUnknown:
      BilingualText("GET /simulator/transactions lists all.", "GET /simulator/transactions 会列出全部交易。")
    case .subscriptionUnknown:
      BilingualText("Name the originalTransactionId of a subscription.", "请给出订阅的 originalTransactionId。")
    case .notificationUnknown:
      BilingualText("GET /simulator/notifications lists all.", "GET /simulator/notifications 会列出全部通知。")
    case .neverChanges: BilingualText("Use another name.", "请换用另一个名称。")
    case .quantityNotAllowed:
      BilingualText(
        "Buy 1 to 10 of a consumable or non-renewing product, and 1 of any other.",
        "消耗型和非续期商品可购买 1 到 10 件，其他商品只能购买 1 件。")
    case .alreadySubscribed:
      BilingualText(
        "Wait until the period ends (move the clock), or use another account.", "请等订阅到期（拨动时钟）或换用另一个账户。")
    case .notRenewing: BilingualText("Turn renewal on, or buy it again.", "请打开自动续订，或重新购买。")
    case .extensionNotAllowed:
      BilingualText(
        "The App Store extends paid periods only, the buyer's own, and twice in 365 days.",
        "App Store 只为购买者本人的付费订阅期延期，365 天内最多两次。")
    case .renewalTooEarly:
      BilingualText("Move the clock to the last day of the period.", "请把时钟拨到订阅期的最后一天。")
    case .offerNotAllowed:
      BilingualText(
        "Name an offer of the product. Win-back offers are for users with an ended subscription, promotional "
          + "offers for users who have or had one.",
        "请使用该商品的优惠；赢回优惠仅限订阅已结束的客户，促销优惠仅限现有或曾经的订阅者。")
    case .offerSignatureInvalid:
      BilingualText("Sign it with a registered key for this very purchase.", "请用已登记的密钥为本次购买签名。")
    case .alreadyRefunded: BilingualText("Look at its revocation.", "请查看该交易的 revocation。")
    case .nothingToRefund: BilingualText("Refund its original transaction.", "请对其原始交易退款。")
    case .notificationAddressMissing:
      BilingualText("Set notificationUrl of the app.", "请设置该应用的 notificationUrl。")
    case .purchaseFailed: BilingualText("Buy again.", "请重新购买。")
    case .answerLost:
      BilingualText("Do as an app must: query unfinished transactions.", "请像应用那样处理：查询未结束的交易。")
    case .full: BilingualText("Start with an empty log.", "请从空日志重新开始。")
    case .logUnreadable:
      BilingualText("Use the file as the simulator left it, or start with an empty one.", "请使用模拟器原样留下的文件，或从空文件开始。")
    case .logTooNew: BilingualText("Update Counterfoil, or start with an empty log.", "请升级 Counterfoil，或从空日志开始。")
    case .logUnavailable:
      BilingualText("Check the disk, then start the simulator again.", "请检查磁盘，然后重新启动模拟器。")
    }
  }

  package var retry: RetryAdvice {
    switch self {
    case .purchaseFailed, .renewalTooEarly, .answerLost: .later
    default: .never
    }
  }
}
