import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives

// Changes by a subscriber or the developer while the subscription runs.

extension Scenarios {
  private static let hasty = BilingualText(
    "Code that takes it for a purchase or an end changes an entitlement that has not changed.",
    "被当作购买或到期，动了没有变化的权益。")
  private static let loyal = SimulatedOffer(
    .offerCode, "loyal", payment: .payAsYouGo, period: .month, count: 1, price: 9000)

  static let changes: [Scenario] = plans + offers + status + prices

  private static let plans: [Scenario] = [
    row(
      "DID_CHANGE_RENEWAL_PREF UPGRADE", "the better plan, at once", chinese: "立即升级方案",
      naive: BilingualText(
        "Two plans count at the same time, or the end of the old plan ends the new one.",
        "两个方案同时有效，或旧方案到期把新的也带走。"),
      expected: paid(2, hasRight: true)
    ) { play in
      try await play.subscribe("basic")
      play.say("Ann upgrades in the App Store ten days later.", "十天后 Ann 在 App Store 升级。")
      try await play.pass(.days(10))
      try await play.buyInStore(ScenarioPlay.plus)
    },
    row(
      "DID_CHANGE_RENEWAL_PREF DOWNGRADE", "the lesser plan, from the next month on", chinese: "下期起降级方案", naive: hasty,
      expected: paid(1, hasRight: true)
    ) { play in
      try await play.subscribe()
      play.say("Ann chooses the lesser plan: nothing changes until the month is over.", "Ann 选择较低方案：本期内不变。")
      try await play.buyInStore(ScenarioPlay.basic)
    },
    row(
      "DID_CHANGE_RENEWAL_PREF", "the downgrade is undone", chinese: "撤销降级", naive: hasty,
      expected: paid(2, hasRight: true)
    ) { play in
      try await play.subscribe()
      try await play.buyInStore(ScenarioPlay.basic)
      play.say("Ann keeps her plan; the month ends.", "Ann 决定保留原方案；本期结束。")
      try await play.buyInStore(ScenarioPlay.plus)
      try await play.passMonth()
    },
  ]

  private static let offers: [Scenario] = [
    row(
      "OFFER_REDEEMED", "an offer for the next month", chinese: "下期使用优惠", naive: hasty,
      expected: paid(2, hasRight: true)
    ) { play in
      try await play.subscribe()
      try await play.set(ScenarioPlay.plus) { $0.offers = [loyal] }
      play.say("Ann redeems a code in the App Store; the next month costs less.", "Ann 在 App Store 兑换优惠码；下期价格更低。")
      try await play.buyInStore(ScenarioPlay.plus, offer: "loyal")
      try await play.passMonth()
    },
    row(
      "OFFER_REDEEMED UPGRADE", "an offer of the better plan, at once", chinese: "使用优惠立即升级", naive: hasty,
      expected: paid(2, hasRight: true)
    ) { play in
      try await play.subscribe("basic")
      try await play.set(ScenarioPlay.plus) { $0.offers = [loyal] }
      play.say("Ann redeems a code for the better plan.", "Ann 兑换更高方案的优惠码。")
      try await play.buyInStore(ScenarioPlay.plus, offer: "loyal")
    },
    row(
      "OFFER_REDEEMED DOWNGRADE", "an offer of the lesser plan, later", chinese: "使用优惠，下期降级", naive: hasty,
      expected: paid(1, hasRight: true)
    ) { play in
      try await play.subscribe()
      try await play.set(ScenarioPlay.basic) { $0.offers = [loyal] }
      play.say("Ann redeems a code for the lesser plan.", "Ann 兑换较低方案的优惠码。")
      try await play.buyInStore(ScenarioPlay.basic, offer: "loyal")
    },
  ]

  private static let status: [Scenario] = [
    row(
      "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED", "renewal is turned off", chinese: "关闭自动续订", naive: hasty,
      expected: paid(1, hasRight: true)
    ) { play in
      try await play.subscribe()
      play.say("Ann turns renewal off: her month is paid and stays valid.", "Ann 关闭自动续订：本期已付款，仍然有效。")
      try await play.autoRenew(false)
    },
    row(
      "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED", "and on again", chinese: "再次打开自动续订", naive: hasty,
      expected: paid(2, hasRight: true)
    ) { play in
      try await play.subscribe()
      try await play.autoRenew(false)
      play.say("Ann turns it on again; the month ends.", "Ann 再次打开；本期结束。")
      try await play.autoRenew(true)
      try await play.passMonth()
    },
  ]

  private static let prices: [Scenario] = [
    row(
      "PRICE_INCREASE PENDING", "the user is asked to agree to a higher price", chinese: "等待用户同意涨价", naive: hasty,
      expected: paid(1, hasRight: true)
    ) {
      play in
      try await play.subscribe()
      let subscription = try await play.subscription()
      play.say("The price will rise; Ann has not answered yet.", "价格将上调；Ann 尚未答复。")
      try await play.atApple { try await $0.priceIncreases.raise(of: subscription, to: 45_000, needsConsent: true) }
    },
    row(
      "PRICE_INCREASE ACCEPTED", "the user agrees", chinese: "用户同意涨价", naive: hasty, expected: paid(2, hasRight: true)
    ) { play in
      try await play.subscribe()
      let subscription = try await play.subscription()
      play.say("The price will rise; Ann agrees, and the month ends.", "价格将上调；Ann 同意，本期结束。")
      try await play.atApple { store in
        try await store.priceIncreases.raise(of: subscription, to: 45_000, needsConsent: true)
        try await store.priceIncreases.accept(of: subscription)
      }
      try await play.passMonth()
    },
    row(
      "RENEWAL_EXTENDED", "extra days for an outage", chinese: "因故障补偿天数",
      naive: BilingualText("The old end date stays, and the promised days are lost.", "仍按原到期日，补偿的天数丢失。"),
      expected: paid(1, hasRight: true)
    ) { play in
      try await play.subscribe()
      let subscription = try await play.subscription()
      play.say("The shop was down; Ann gets ten extra days.", "商店曾发生故障；Ann 获得十天补偿。")
      try await play.atApple { _ = try await $0.renewalExtensions.extend(of: subscription, byDays: 10) }
      try await play.pass(.days(36))
    },
    row(
      "RENEWAL_EXTENSION SUMMARY", "extra days for all subscribers: the result", chinese: "批量延期的汇总", naive: hasty,
      expected: paid(1, hasRight: true)
    ) { play in
      try await play.subscribe()
      play.say("All subscribers get three extra days; Apple sends a summary.", "所有订阅者延期三天；Apple 给出汇总。")
      try await play.extendAll()
      try await play.pass(.days(33))
    },
    row(
      "RENEWAL_EXTENSION FAILURE", "extra days that could not be given", chinese: "无法延期的一例", naive: hasty,
      expected: paid(1, hasRight: false)
    ) { play in
      try await play.subscribe()
      try await play.card(works: false)
      try await play.passMonth()
      play.say("Ann's charge has failed; no days can be given.", "Ann 的扣款已失败；无法延期。")
      try await play.extendAll()
    },
  ]
}

extension ScenarioPlay {
  /// The developer extends all subscriptions.
  fileprivate func extendAll() async throws {
    try await atApple {
      _ = try await $0.renewalExtensions.extendAll(
        of: Self.plus, bundleId: WorldShop.bundleId, byDays: 3, requestIdentifier: "outage")
    }
  }
}
