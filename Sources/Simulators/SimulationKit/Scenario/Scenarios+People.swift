import AppStoreSimulator
import PaymentModel
import PaymentPrimitives

// The beneficiary of a payment: other users, other phones, parents.

extension Scenarios {
  static let people: [Scenario] = [
    Scenario(
      "user-switched", .purchase,
      title: BilingualText("Another user signs in before the purchase is verified", "购买验证之前换了用户登录"),
      naive: BilingualText(
        "Code that grants to the signed-in user gives Ann's coins to Bob.", "给当前登录用户发货的代码，会把 Ann 的金币发给 Bob。"),
      cast: ScenarioCast(phones: [ScenarioCast.phone("ann", "bob")]),
      expecting: ScenarioExpectation(charges: 1, coins: ["ann": 100])
    ) { play in
      try await play.behaviour(.loseNotifications)
      try await play.behaviour(.loseTokens)
      try await play.open("ann")
      play.say("Ann pays; the app dies. Bob takes the phone and signs in.", "Ann 付款后应用被杀死。Bob 拿过手机登录。")
      await play.buy("coins.100", .paysAndAppDies, patience: .seconds(20))
      try await play.reopen("bob")
      try await play.holds("Bob's login submitted it, and Ann received it", "由 Bob 的登录上报，入账给 Ann") {
        let (bobs, anns) = (try await $0.coins(of: "bob"), try await $0.coins(of: "ann"))
        return bobs == 0 && anns == 100
      }
    },
    Scenario(
      "reinstall", .purchase,
      title: BilingualText("The app is removed and installed again in the middle", "中途卸载并重装应用"),
      naive: BilingualText(
        "Records in the app's folder are removed with it. The charge comes back without an order.",
        "存在应用目录里的记录随卸载消失：扣款再出现时已找不到订单。"),
      expecting: ScenarioExpectation(charges: 1, coins: ["ann": 100])
    ) { play in
      try await play.behaviour(.loseNotifications)
      try await play.behaviour(.loseTokens)
      try await play.open("ann")
      await play.buy("coins.100", .paysAndAppDies, patience: .seconds(20))
      play.say(
        "Ann removes the app and installs it again: the vault is in the Keychain and stays.",
        "Ann 卸载并重装应用：保险箱在钥匙串中，仍然保留。")
      try await play.reopen("ann")
    },
    Scenario(
      "new-phone", .purchase,
      title: BilingualText("The phone is replaced before the purchase is verified", "购买验证之前换了新手机"),
      naive: BilingualText(
        "The data on the old phone is gone, and nothing else knows the order.", "旧手机保存的一切都没了，没有别处知道这张订单。"),
      expecting: ScenarioExpectation(charges: 1, coins: ["ann": 100])
    ) { play in
      try await play.behaviour(.loseNotifications)
      try await play.open("ann")
      await play.buy("coins.100", .paysAndAppDies, patience: .seconds(20))
      play.say(
        "A new phone: the vault is empty, and Apple's queue has the transaction.", "新手机：保险箱是空的，但 Apple 的队列里还有这笔交易。")
      play.phone().loseVault()
      try await play.reopen("ann")
      try await play.holds("The signed transaction itself names the order", "签名交易本身带有订单号") {
        try await $0.payments().map(\.match?.rule) == [.exact]
      }
    },
    Scenario(
      "restored-by-another", .purchase,
      title: BilingualText("Another user of the same Apple account restores purchases", "同一 Apple 账户的另一用户恢复购买"),
      naive: BilingualText(
        "Restore moves the entitlement to the user who taps it, or gives it to both.", "“恢复购买”把权益转给点击的人，或两边都给。"),
      cast: ScenarioCast(phones: [ScenarioCast.phone("ann", "bob")]),
      expecting: ScenarioExpectation(charges: 1, rights: ["ann": ["premium"]])
    ) { play in
      try await play.open("ann")
      play.say("Ann buys premium; Bob signs in and restores.", "Ann 购买 premium；Bob 登录后点击恢复购买。")
      await play.buy("premium")
      await play.phone().signIn("bob")
      await play.restore()
      try await play.holds("Nothing has moved", "没有任何转移") { try await $0.rights(of: "bob").isEmpty }
    },
    Scenario(
      "ask-to-buy", .purchase,
      title: BilingualText("Ask to Buy: a parent approves hours later", "购买前询问：家长几小时后同意"),
      naive: BilingualText(
        "Deferred is taken for failed, the order is deleted, and the charge comes while the app is closed.",
        "把“延期”当作失败并删除订单，而扣款在应用关闭后才到来。"),
      expecting: ScenarioExpectation(charges: 1, coins: ["ann": 100])
    ) { play in
      try await play.open("ann")
      play.say("Ann buys; a parent must approve. Nothing is charged.", "Ann 购买；需要家长批准，尚未扣款。")
      await play.buy("coins.100", .asksParents(approvesAfter: .hours(9)))
      play.close()
      try await play.holds("The order is kept open", "订单保持未支付状态") { try await $0.orders().map(\.isPaid) == [false] }
      play.say("Nine hours later the parent approves; the app is closed.", "九小时后家长同意；应用是关闭的。")
      try await play.pass(.hours(9))
      try await play.reopen("ann")
    },
    Scenario(
      "ask-to-buy-refused", .purchase,
      title: BilingualText("Ask to Buy: the request is never approved", "购买前询问：始终没有人同意"),
      naive: BilingualText(
        "StoreKit never reports a rejection. A page that waits for one waits for ever.",
        "StoreKit 从不告知拒绝：等待结果的页面会一直等下去。"),
      expecting: ScenarioExpectation(charges: 0)
    ) { play in
      try await play.open("ann")
      play.say("Ann buys; the parent does not react.", "Ann 购买；家长没有理会。")
      await play.buy("coins.100", .asksParents(approvesAfter: nil))
      try await play.pass(.days(2))
      try await play.holds("The order waits until it expires", "订单继续等待，到期自动关闭") {
        try await $0.orders().map(\.isPaid) == [false]
      }
    },
  ]
}
