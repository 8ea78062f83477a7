import PaymentPrimitives

// What is asked for by its name, and is not there; and what only Apple knows.
extension EngineErrorCode {
  var operatorMeaning: BilingualText {
    switch self {
    case .orderUnknown: .init("There is no such order.", "没有该订单。")
    case .notificationUnknown: .init("There is no such notification.", "没有该商店通知。")
    case .deliveryUnknown: .init("There is no such delivery.", "没有该发货通知。")
    case .eventUnknown: .init("This database has no such event.", "此数据库没有该事件。")
    case .keyUnknown: .init("There is no such API key.", "没有该 API 密钥。")
    case .actNotPossible: .init("The present state does not allow that.", "目前的状态不允许此操作。")
    case .dayNotCompared: .init("That day was not compared with the store's bill.", "该日尚未与商店账单核对。")
    case .orderNumberUnknown: .init("Apple knows no order of this app with that number.", "Apple 没有该应用的此订单号。")
    case .extensionNotPossible: .init("Apple does not put off this renewal date.", "Apple 不延长此续订日期。")
    case .extensionUnknown:
      .init("Apple knows no extension of that product with that identifier.", "Apple 没有该商品的此延长请求。")
    // `appStoreUnanswered`.
    default: .init("Apple gave no answer that can be used.", "Apple 没有给出可用的答复。")
    }
  }

  var operatorRemedy: BilingualText {
    switch self {
    case .actNotPossible:
      .init(
        "Read the state as it is now. For a payment, choose a way out from the table of the operator's queue.",
        "请先查看目前的状态；如为支付，请从人工处理队列的表格中选择处理方式。")
    case .dayNotCompared:
      .init(
        "Compare it with `counterfoil reconcile`. Recent days are compared automatically.",
        "请用 `counterfoil reconcile` 核对；近日的账单会自动核对。")
    case .orderNumberUnknown:
      .init(
        "Check the number in Apple's mail, and whether the mail is about this app and a purchase for money.",
        "请检查 Apple 邮件中的订单号，以及该邮件是否与此应用的付费购买有关。")
    case .extensionNotPossible:
      .init(
        "Read Apple's reason. A free trial, an ended or shared subscription, and a third time in 365 days are refused.",
        "请查看 Apple 给出的原因：免费试用、已结束或家人共享的订阅，以及 365 天内的第三次延长，都会被拒绝。")
    case .extensionUnknown:
      .init("Check the product of Apple and the identifier of the request.", "请检查 Apple 的商品标识与请求标识。")
    // `appStoreUnanswered`.
    default:
      .init(
        "Try again in a moment. `counterfoil doctor` checks the key and the way to Apple.",
        "请稍后重试；`counterfoil doctor` 可检查密钥及与 Apple 的连接。")
    }
  }
}
