import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives

// The life cycle of a subscription, from its start to each possible end.

extension Scenarios {
  private static let deaf = BilingualText(
    "Code that learns of renewals only from the app denies access to a user who paid.",
    "只从应用得知续订的代码，会停掉已付款用户的权益。")
  private static let blind = BilingualText(
    "Code that checks once, at the purchase, gives access for ever.", "只在购买时检查一次的代码，会让权益永远有效。")

  /// The expectation after this many paid periods.
  static func paid(_ periods: Int, hasRight: Bool) -> ScenarioExpectation {
    ScenarioExpectation(charges: periods, rights: hasRight ? ["ann": ["plus"]] : [:])
  }

  static let renewals: [Scenario] = begun + failing + ended

  private static let begun: [Scenario] = [
    row(
      "SUBSCRIBED INITIAL_BUY", "a first subscription on a phone that is lost", chinese: "首次订阅，手机丢失", naive: deaf,
      cast: ScenarioCast(phones: [ScenarioCast.phone("ann", isLost: true)], sellsSubscriptions: true),
      expected: paid(1, hasRight: true)
    ) { play in
      try await play.open("ann")
      play.say("Ann subscribes, and her phone is lost before it gets the result.", "Ann 订阅，手机在得知结果前丢失。")
      await play.buy("plus", .paysAndAppDies, patience: .seconds(20))
    },
    row(
      "SUBSCRIBED RESUBSCRIBE", "the user subscribes again in the App Store", chinese: "用户在 App Store 里重新订阅",
      naive: deaf,
      expected: paid(2, hasRight: true)
    ) { play in
      try await play.subscribe()
      try await play.autoRenew(false)
      try await play.pass(.days(40))
      try await play.annHasRight(false)
      play.say(
        "Ann subscribes again in the App Store, where no app sends a token.", "Ann 在 App Store 重新订阅，没有应用为其附上订单号。")
      try await play.buyInStore(ScenarioPlay.plus)
    },
    row(
      "DID_RENEW", "a month later, the app is closed", chinese: "一个月后续订，应用未打开", naive: deaf,
      expected: paid(2, hasRight: true)
    ) { play in
      try await play.subscribe()
      play.say("A month goes by; Apple charges the next one.", "一个月过去；Apple 扣下一期的款。")
      try await play.passMonth()
    },
    row(
      "DID_RENEW BILLING_RECOVERY", "the card works again", chinese: "扣款恢复成功", naive: deaf,
      expected: paid(2, hasRight: true)
    ) { play in
      try await play.subscribe()
      try await play.card(works: false)
      try await play.passMonth()
      try await play.annHasRight(false)
      play.say("Five days later Ann's card works again.", "五天后 Ann 的银行卡恢复可用。")
      try await play.pass(.days(5))
      try await play.card(works: true)
      try await play.pass(.minutes(5))
    },
  ]

  private static let failing: [Scenario] = [
    row(
      "DID_FAIL_TO_RENEW", "the card is declined, and there is no grace period", chinese: "扣款失败，且没有宽限期", naive: blind,
      expected: paid(1, hasRight: false)
    ) { play in
      try await play.subscribe()
      try await play.card(works: false)
      play.say("The month ends; the charge fails.", "本期结束；扣款失败。")
      try await play.passMonth()
    },
    row(
      "DID_FAIL_TO_RENEW GRACE_PERIOD", "the card is declined, and access stays", chinese: "扣款失败，但宽限期内保留权益",
      naive: BilingualText(
        "Code that uses only the end of the period denies access to users who are still subscribers for Apple.",
        "只看到期日的代码，会停掉 Apple 仍视为订阅者的用户的权益。"),
      expected: paid(1, hasRight: true)
    ) { play in
      try await play.grantGrace(days: 16)
      try await play.subscribe()
      try await play.card(works: false)
      play.say("The month ends; the charge fails, and the grace period begins.", "本期结束；扣款失败，宽限期开始。")
      try await play.passMonth()
    },
    row(
      "GRACE_PERIOD_EXPIRED", "the grace period is over", chinese: "宽限期结束", naive: blind,
      expected: paid(1, hasRight: false)
    ) { play in
      try await play.grantGrace(days: 3)
      try await play.subscribe()
      try await play.card(works: false)
      try await play.passMonth()
      try await play.annHasRight(true)
      play.say("Three days later the grace period is over.", "三天后宽限期结束。")
      try await play.pass(.days(4))
    },
  ]

  private static let ended: [Scenario] = [
    row(
      "EXPIRED VOLUNTARY", "the user turned renewal off", chinese: "用户关闭了自动续订",
      naive: BilingualText(
        "Access ends when renewal is turned off, although the month is paid; or it never ends.",
        "一关闭续订就取消权益，尽管本期已付款；或者永不取消。"),
      expected: paid(1, hasRight: false)
    ) { play in
      try await play.subscribe()
      play.say("Ann turns renewal off.", "Ann 关闭自动续订。")
      try await play.autoRenew(false)
      try await play.pass(.days(20))
      try await play.annHasRight(true)
      play.say("The month ends.", "本期结束。")
      try await play.pass(.days(12))
    },
    row(
      "EXPIRED BILLING_RETRY", "sixty days without payment", chinese: "六十天内扣款均未成功", naive: blind,
      expected: paid(1, hasRight: false)
    ) { play in
      try await play.subscribe()
      try await play.card(works: false)
      try await play.pass(.days(95))
    },
    row(
      "EXPIRED PRICE_INCREASE", "the user does not agree to a higher price", chinese: "用户没有同意涨价", naive: blind,
      expected: paid(1, hasRight: false)
    ) { play in
      try await play.subscribe()
      let subscription = try await play.subscription()
      play.say("The price will rise; Ann does not answer.", "价格将上调；Ann 没有回应。")
      try await play.atApple { try await $0.priceIncreases.raise(of: subscription, to: 45_000, needsConsent: true) }
      try await play.passMonth()
    },
    row(
      "EXPIRED PRODUCT_NOT_FOR_SALE", "the product is no longer sold", chinese: "商品已下架", naive: blind,
      expected: paid(1, hasRight: false)
    ) { play in
      try await play.subscribe()
      play.say("The developer takes the plan off sale.", "开发者下架了该方案。")
      try await play.set(ScenarioPlay.plus) { $0.isForSale = false }
      try await play.passMonth()
    },
    row("EXPIRED", "without a stated reason", chinese: "未说明原因的到期", naive: blind, expected: paid(1, hasRight: false)) {
      play in
      try await play.subscribe()
      try await play.card(works: false)
      try await play.passMonth()
      let subscription = try await play.subscription()
      play.say("Apple ends it without a stated reason.", "Apple 结束订阅，未说明原因。")
      try await play.atApple { try await $0.subscriptions.end(subscription) }
    },
  ]
}
