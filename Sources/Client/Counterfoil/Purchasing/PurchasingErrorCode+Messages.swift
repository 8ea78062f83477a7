public import PaymentPrimitives

extension PurchasingErrorCode {
  public var meaning: BilingualText {
    switch self {
    case .configurationInvalid:
      BilingualText("Purchases are not set up correctly in this app.", "此应用的购买功能配置有误。")
    case .notRunning: BilingualText("Purchases have not been started in this app.", "此应用尚未启动购买功能。")
    case .notSignedIn: BilingualText("You are not signed in.", "您尚未登录。")
    case .quantityNotAllowed: BilingualText("That quantity cannot be bought.", "无法购买此数量。")
    case .requestInvalid:
      BilingualText("The app asked for something that the shop cannot read.", "应用发出的购买请求无法识别。")
    case .paymentsDisabled:
      BilingualText("Purchases are turned off on this device.", "此设备已关闭购买功能。")
    case .purchaseInProgress:
      BilingualText("A purchase of this item is under way.", "该商品正在购买中。")
    case .earlierPurchaseUndecided:
      BilingualText(
        "An earlier purchase of this item is still being confirmed.", "您之前购买的该商品仍在确认中。")
    case .vaultUnavailable:
      BilingualText(
        "The purchase cannot be written down safely on this device, so it was not started.",
        "此设备暂时无法安全保存购买记录，因此未开始购买。")
    case .vaultFull:
      BilingualText("Too many purchases are still open on this device.", "此设备上未完成的购买过多。")
    case .storeUnavailable: BilingualText("The App Store cannot be reached.", "无法连接 App Store。")
    case .storeNotSignedIn:
      BilingualText("You are not signed in to the App Store.", "您尚未登录 App Store。")
    case .storeFailed:
      BilingualText("The App Store did not complete the purchase.", "App Store 未完成此次购买。")
    case .productUnknown: BilingualText("The App Store does not sell this item.", "App Store 中没有该商品。")
    case .offerNotAllowed: BilingualText("This offer is not available to you.", "您无法使用此优惠。")
    case .restoreFailed:
      BilingualText("Your purchases could not be restored.", "无法恢复您的购买记录。")
    case .weChatAbsent: BilingualText("This app cannot pay with WeChat.", "此应用不支持微信支付。")
    case .weChatNotInstalled: BilingualText("WeChat is not installed.", "未安装微信。")
    case .weChatAppDiffers:
      BilingualText("The order was made for another app at WeChat.", "该订单属于另一个微信应用。")
    case .weChatFailed: BilingualText("WeChat did not complete the payment.", "微信未完成此次支付。")
    case .userTokenUnavailable:
      BilingualText("Your sign-in could not be confirmed.", "无法确认您的登录状态。")
    case .userDiffers: BilingualText("You are signed in as another user.", "当前登录的是另一个账号。")
    case .serverUnreachable: BilingualText("The shop cannot be reached.", "无法连接商店服务器。")
    case .serverRefused: BilingualText("The shop does not accept this request.", "商店未接受此请求。")
    case .orderDiffers:
      BilingualText("The shop's order does not match what you chose.", "商店返回的订单与您的选择不一致。")
    case .purchaseAbandoned:
      BilingualText("The purchase was not started.", "购买未开始。")
    }
  }

  public var remedy: BilingualText {
    switch self {
    case .configurationInvalid, .notRunning:
      BilingualText("Please update the app or contact support.", "请更新应用或联系客服。")
    case .notSignedIn: BilingualText("Sign in and try again.", "请登录后重试。")
    case .quantityNotAllowed: BilingualText("Choose 1 to 10 pieces.", "请选择 1 至 10 件。")
    case .paymentsDisabled:
      BilingualText("Allow in-app purchases in the device's settings.", "请在系统设置中允许 App 内购买。")
    case .purchaseInProgress:
      BilingualText("Finish it before you buy again.", "请先完成该笔购买。")
    case .earlierPurchaseUndecided:
      BilingualText(
        "You will not lose it. Please wait a moment before you buy again.", "不会丢失，请稍后再购买。")
    case .vaultUnavailable:
      BilingualText("Unlock the device, make sure that it has free space, and try again.", "请解锁设备并确认有可用空间后重试。")
    case .vaultFull:
      BilingualText("Please try again tomorrow or contact support.", "请明天再试或联系客服。")
    case .storeUnavailable:
      BilingualText("Check the connection and try again later.", "请检查网络连接，稍后重试。")
    case .storeNotSignedIn:
      BilingualText("Sign in to the App Store in the device's settings, and try again.", "请在系统设置中登录 App Store 后重试。")
    case .storeFailed:
      BilingualText(
        "If you are asked to accept terms or confirm the payment, do so. The purchase then arrives automatically.",
        "如系统要求您同意条款或确认付款，请照做，购买随后会自动到账。")
    case .productUnknown:
      BilingualText("Nothing was charged. Please contact support.", "未产生扣款，请联系客服。")
    case .offerNotAllowed:
      BilingualText("Buy at the usual price, or contact support.", "请按原价购买，或联系客服。")
    case .restoreFailed:
      BilingualText("Check the connection and try again.", "请检查网络连接后重试。")
    case .weChatAbsent, .weChatAppDiffers:
      BilingualText("Nothing was charged. Please contact the app's administrator.", "未产生扣款，请联系应用管理员。")
    case .weChatNotInstalled:
      BilingualText("Install WeChat, or pay on an iPhone.", "请安装微信后重试，或使用 iPhone 购买。")
    case .weChatFailed:
      BilingualText(
        "You can pay the same order again. If money left your account, it arrives automatically.",
        "您可以再次支付同一订单。如已扣款，商品会自动到账。")
    case .userTokenUnavailable, .userDiffers:
      BilingualText("Sign in again and try once more.", "请重新登录后重试。")
    case .serverUnreachable:
      BilingualText("Nothing was charged. Check the connection and try again.", "未产生扣款。请检查网络连接后重试。")
    case .requestInvalid:
      BilingualText("Nothing was charged. Please update the app or contact support.", "未产生扣款，请更新应用或联系客服。")
    case .serverRefused, .orderDiffers:
      BilingualText("Nothing was charged. Please contact support.", "未产生扣款，请联系客服。")
    case .purchaseAbandoned:
      BilingualText("Nothing was charged. Try again whenever you like.", "未产生扣款，可随时重试。")
    }
  }
}
