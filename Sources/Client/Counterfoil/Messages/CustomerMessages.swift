public import PaymentPrimitives

/// The texts for the customer, in two languages. An app can replace each default text:
///
///     configuration.messages[.outcome(.fulfilled)] = BilingualText("Enjoy your coins!", "金币已到账！")
///
/// For more languages, an app hands in a translation of each text by its name. `Counterfoil.xcstrings` is a String
/// Catalog with all names and both default texts.
public struct CustomerMessages: Hashable, Sendable {
  private var own: [CustomerMessageKey: BilingualText] = [:]
  private var translated: [CustomerMessageKey: String] = [:]

  /// The default texts.
  public init() {}

  /// The texts in the language of the device, each by its name; where there is none, the default text.
  public init(translating translation: (_ name: String) -> String?) {
    for key in CustomerMessageKey.allCases { translated[key] = translation(key.name) }
  }

  /// The text to show: the app's own, a translation, or the default in this language.
  public func text(_ key: CustomerMessageKey, in language: Language) -> String {
    own[key]?[language] ?? translated[key] ?? Self.ours(key)[language]
  }

  /// The words about a restore; nil if the customer cancelled it, because nothing is shown then.
  public func text(ofRestore report: RecoveryReport, in language: Language) -> String? {
    guard let key = report.restoreMessageKey else { return nil }
    return Self.fill("{count}", with: "\(report.fulfilled - report.ofOtherAccounts)", in: text(key, in: language))
  }

  /// The words about the state of an entitlement.
  ///
  /// - Parameters:
  ///   - entitlement: the entitlement.
  ///   - language: the customer's language.
  ///   - date: writes a date for the customer; default: the day in ISO 8601 (UTC).
  public func text(
    of entitlement: Entitlement, in language: Language,
    date: (Timestamp) -> String = { String($0.iso8601.prefix(10)) }
  ) -> String {
    let words = text(entitlement.messageKey, in: language)
    return Self.fill("{date}", with: entitlement.messageDate.map(date) ?? "–", in: words)
  }

  private static func fill(_ name: String, with value: String, in text: String) -> String {
    guard let range = text.range(ofFirst: name) else { return text }
    return text[..<range.lowerBound] + value + text[range.upperBound...]
  }

  /// The text for a key: the app's own, or the default.
  public subscript(_ key: CustomerMessageKey) -> BilingualText {
    get { own[key] ?? Self.ours(key) }
    set { own[key] = newValue }
  }

  /// The default text for a key.
  public static func ours(_ key: CustomerMessageKey) -> BilingualText {
    switch key {
    case .outcome(let outcome): text(outcome)
    case .event(let event): text(event)
    case .weChat(let said): text(said)
    case .restored(let found): text(found)
    case .entitlement(let state): text(state)
    case .error(let code):
      BilingualText(code.meaning.english + " " + code.remedy.english, code.meaning.chinese + code.remedy.chinese)
    }
  }

  private static func text(_ outcome: CustomerMessageKey.Outcome) -> BilingualText {
    switch outcome {
    case .fulfilled: BilingualText("Your purchase has arrived. Thank you!", "购买成功，商品已到账。")
    case .recovered:
      BilingualText(
        "You have this from an earlier payment. You were not charged again.", "您之前支付的商品已到账，本次未重复扣款。")
    case .cancelled: BilingualText("The purchase was cancelled.", "已取消购买。")
    case .pendingApproval:
      BilingualText(
        "The purchase waits for approval. It arrives automatically after the approval.", "购买正在等待批准，批准后将自动到账。")
    case .renewalChanged:
      BilingualText(
        "Your subscription changes at its next renewal. You were not charged now.", "订阅将在下次续订时变更，本次未扣款。")
    case .awaitingConfirmation:
      BilingualText(
        "The payment is not confirmed yet. If you have paid, it arrives automatically. Please do not pay again.",
        "支付结果尚未确认。如您已付款，商品会自动到账，请勿重复支付。")
    case .held:
      BilingualText(
        "Your payment is safe with us and is being checked. Please contact support.", "您的付款已安全记录，正在核实，请联系客服。")
    case .unclaimed:
      BilingualText(
        "We have your payment but cannot match it to a user yet. Please contact support.", "我们已收到付款，但暂时无法确认归属，请联系客服。")
    case .refused:
      BilingualText("The payment could not be verified. Please contact support.", "付款未能通过验证，请联系客服。")
    case .revoked: BilingualText("The store has taken this purchase back.", "商店已撤销此次购买。")
    case .imported: BilingualText("This purchase was delivered before.", "此购买之前已发放。")
    case .fulfilledForAnother:
      BilingualText("This purchase belongs to another account.", "此购买属于另一个账号。")
    }
  }

  private static func text(_ event: CustomerMessageKey.Event) -> BilingualText {
    switch event {
    case .orderOpen: BilingualText("You have an order that is not completed yet.", "您有一笔尚未完成的订单。")
    case .orderClosed: BilingualText("An order is closed.", "一笔订单已结束。")
    case .fulfilled, .orderGranted: BilingualText("Your purchase has arrived.", "您购买的商品已到账。")
    case .openedWeChat: BilingualText("Continue in WeChat.", "请在微信中继续支付。")
    case .delivered: BilingualText("Your purchase is ready to use.", "您购买的商品已可使用。")
    case .notConfirmed:
      BilingualText(
        "The payment is not confirmed. If you have paid, it arrives automatically.", "支付结果未确认。如您已付款，商品会自动到账。")
    case .slowCallback:
      BilingualText("This takes longer than usual. You will not lose anything.", "处理时间比平时长，请稍候，您的付款不会丢失。")
    case .promotedPayment:
      BilingualText("You chose an item in the App Store. Buy it now?", "您在 App Store 中选择了商品，现在购买吗？")
    case .earlierRecordJudged: BilingualText("An earlier purchase was checked.", "已核对您之前的一笔购买。")
    case .notGranted:
      BilingualText("A payment could not be credited to this account. Please contact support.", "有一笔付款未能计入此账号，请联系客服。")
    case .orphan: BilingualText("A payment without an order was found and is being checked.", "发现一笔没有对应订单的付款，正在核实。")
    case .finishDidNotStick: BilingualText("A completed purchase was closed again.", "已再次结束一笔已完成的购买。")
    }
  }

  private static func text(_ said: CustomerMessageKey.WeChat) -> BilingualText {
    switch said {
    case .done:
      BilingualText("WeChat reports the payment. It is being confirmed.", "微信已返回支付结果，正在确认。")
    case .failed:
      BilingualText("WeChat reports a system error. You can pay the same order again.", "微信系统错误，您可以再次支付同一订单。")
    case .cancelled: BilingualText("You left WeChat without paying.", "您已取消微信支付。")
    case .notSent:
      BilingualText("The payment could not be started in WeChat. Please try again.", "未能发起微信支付，请重试。")
    case .denied:
      BilingualText("WeChat denied the payment. Please contact support.", "微信拒绝了此次支付，请联系客服。")
    case .unsupported:
      BilingualText("This version of WeChat cannot pay here. Please update WeChat.", "当前微信版本不支持支付，请升级微信。")
    case .unknown:
      BilingualText(
        "WeChat did not complete the payment. You can pay the same order again.", "微信未完成支付，您可以再次支付同一订单。")
    }
  }
}

extension Purchasing {
  /// The text for an outcome, in the configuration's wording and language.
  public nonisolated func message(for outcome: PurchaseOutcome) -> String { text(outcome.messageKey) }

  /// The text for an event, in the configuration's wording and language.
  public nonisolated func message(for event: PurchaseEvent) -> String { text(event.messageKey) }

  /// The text for an error, in the configuration's wording and language.
  public nonisolated func message(for error: PurchasingError) -> String { text(error.messageKey) }

  /// The words about a restore, in the configuration's wording and language; nil if the customer cancelled it.
  public nonisolated func message(forRestore report: RecoveryReport) -> String? {
    configuration.messages.text(ofRestore: report, in: configuration.language)
  }

  /// The words about an entitlement's state, in the configuration's wording and language.
  public nonisolated func message(for entitlement: Entitlement) -> String {
    configuration.messages.text(of: entitlement, in: configuration.language)
  }

  private nonisolated func text(_ key: CustomerMessageKey) -> String {
    configuration.messages.text(key, in: configuration.language)
  }
}
