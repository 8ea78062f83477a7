import AppStoreSimulator
import PaymentModel
import PaymentPrimitives

// The six scenarios of the queue and the two crossings (checklist 1A.54, 1A.58).

extension Scenarios {
  private static let one = ScenarioExpectation(charges: 1, coins: ["ann": 100])
  private static let old = ScenarioCast(phones: [ScenarioCast.phone("ann", isStoreKit1: true)])
  private static let hangs = BilingualText(
    "A design that pays only after a callback of the queue waits for ever: an empty queue never calls back.",
    "等队列回调后才付款的设计会永远等待：空队列从不回调。")

  static let queue: [Scenario] = [
    Scenario(
      "queue-1", .queue,
      title: BilingualText(
        "Nothing unfinished; listening again before paying brings no callback", "没有未结束交易；付款前再次监听，毫无回应"),
      naive: hangs, cast: old, expecting: one
    ) { play in
      try await play.open("ann")
      await play.foreground()
      try await play.holds("The app listens from its launch, and gets no callback", "应用启动即监听，没有任何回应") { _ in
        play.talk().first == .listens && play.heardNothing()
      }
      await play.listenAgain()
      try await play.holds(
        "It listens again: there is still one listener, and no callback", "再次要求监听：仍只有一个监听者，没有任何回应"
      ) { _ in
        play.talk().count { $0 == .listens } == 1 && play.heardNothing()
      }
      play.say("Ann buys.", "Ann 购买。")
      await play.buy("coins.100")
      try await play.holds(
        "Before the sheet the queue was enumerated, and it was empty", "打开弹窗前枚举了队列，得到的回答是：空"
      ) { _ in
        play.foundNothingBeforePaying()
      }
    },
    Scenario(
      "queue-2", .queue,
      title: BilingualText("Nothing unfinished; restoring before paying brings no callback", "没有未结束交易；付款前恢复购买，毫无回应"),
      naive: hangs, cast: old, expecting: one
    ) { play in
      try await play.open("ann")
      play.say("Ann restores: there is nothing, and the app says so. Then she buys.", "Ann 恢复购买：什么也没有，应用如实告知。然后她购买。")
      await play.restore()
      await play.buy("coins.100")
    },
    Scenario(
      "queue-3", .queue,
      title: BilingualText("Nothing at launch; listening begins only before paying", "启动时没有动作；付款前才开始监听"),
      naive: hangs, cast: old, expecting: one
    ) { play in
      try play.phone().launch(listens: false)
      try await play.pass(.hours(1))
      try await play.holds(
        "The app has started; for an hour it neither listens nor queries", "应用已启动；一小时内既不监听也不查询"
      ) { _ in
        play.phone().run != nil && play.talk().isEmpty
      }
      play.say("It begins to listen, Ann signs in and buys at once.", "应用开始监听，Ann 登录并立即购买。")
      play.phone().listen()
      await play.phone().signIn("ann")
      await play.buy("coins.100")
      try await play.holds(
        "It listened, found the queue empty, and only then opened the sheet", "先监听、确认队列为空，然后才打开弹窗"
      ) { _ in
        play.talk().first == .listens && play.foundNothingBeforePaying()
      }
    },
    Scenario(
      "queue-4", .queue,
      title: BilingualText("Paying without reading the queue first", "付款前不检查队列"),
      naive: BilingualText(
        "StoreKit delivers the old purchase instead of a new one, and it is booked for the new order.",
        "StoreKit 用旧交易代替新购买送达，被记到了新订单上。"),
      cast: old, expecting: ScenarioExpectation(charges: 2, coins: ["ann": 200])
    ) { play in
      try await play.open("ann")
      play.say("Ann pays, and no result arrives. She taps again within seconds.", "Ann 付款后没有回应；几秒后她又点了一次。")
      await play.buy("coins.100", .paysAndNothingIsHeard, patience: .seconds(8))
      await play.buy("coins.100")
      try await play.holds("The second tap has opened no second sheet", "第二次点击没有打开第二个支付弹窗") {
        try await $0.orders().count == 1
      }
      play.say("The app finds the charge by itself; then Ann buys once more.", "应用自行找到这笔扣款；随后 Ann 再买一次。")
      try await play.pass(.minutes(3))
      await play.foreground()
      await play.buy("coins.100")
      try await play.holds("Each charge has paid the order that its sheet was opened for", "每笔扣款都匹配打开弹窗时的订单") {
        try await $0.payments().map(\.match?.rule) == [.exact, .exact]
      }
    },
    Scenario(
      "queue-5", .queue,
      title: BilingualText(
        "Nothing unfinished; the check before paying is empty, and a payment begins", "没有未结束交易；付款前检查为空，随即开始付款"),
      naive: BilingualText(
        "An empty answer is taken for an error, and no one can buy.", "把空结果当作错误，结果谁也买不了。"), cast: old,
      expecting: one
    ) { play in
      try await play.open("ann")
      await play.foreground()
      try await play.holds("The app has checked the queue, which was empty each time", "应用已检查队列，每次都为空") { _ in
        play.emptyAnswers() ?? 0 > 0
      }
      play.say("Ann buys.", "Ann 购买。")
      await play.buy("coins.100")
      try await play.holds("After one more check that found nothing, a payment began", "再次检查仍为空，随即开始了付款") { _ in
        play.foundNothingBeforePaying()
      }
    },
    Scenario(
      "queue-6", .queue,
      title: BilingualText("An unfinished transaction comes at launch, then a new payment", "启动时送来未结束交易，随后开始新的付款"),
      naive: BilingualText(
        "The old transaction's callback is taken for the new payment's callback.", "旧交易的回调被当成新付款的回调。"), cast: old,
      expecting: ScenarioExpectation(charges: 2, coins: ["ann": 200])
    ) { play in
      try await play.behaviour(.loseNotifications)
      try await play.open("ann")
      await play.buy("coins.100", .paysAndAppDies, patience: .seconds(20))
      play.say("The next launch delivers it, and it is verified before anything else.", "下次启动送来该交易，先完成验证。")
      try await play.reopen("ann")
      try await play.holds("The first is granted", "第一笔已入账") { try await $0.coins(of: "ann") == 100 }
      play.say("Now the queue is empty; Ann buys again.", "队列已空；Ann 再次购买。")
      await play.buy("coins.100")
    },
  ]

  private static let crossed = BilingualText(
    "The purchased transaction of A is matched to the order that is being paid now. One order is delivered for the "
      + "other's money.",
    "A 的已购买交易被匹配给正在支付的订单：一张订单拿了另一张订单的钱。")

  static let crossings: [Scenario] = [
    Scenario(
      "crossing-1", .queue,
      title: BilingualText(
        "A for 6 yuan is interrupted, then B for 6 yuan: which order does the transaction pay?",
        "A（6 元）中断，随后 B（6 元）：交易属于谁？"),
      naive: crossed, cast: old, expecting: ScenarioExpectation(charges: 2, coins: ["ann": 200])
    ) { play in
      try await play.behaviour(.loseNotifications)
      try await play.open("ann")
      play.say("Order A: Ann pays, the app dies.", "订单 A：Ann 付款，应用被杀死。")
      await play.buy("coins.100", .paysAndAppDies, patience: .seconds(20))
      play.say("Order B for the same product.", "同一商品的订单 B。")
      try await play.reopen("ann")
      await play.buy("coins.100")
      try await play.holds("Each transaction has paid the order that it was bought for", "每笔交易都匹配它所属的订单") {
        let paid = try await $0.payments()
        return paid.count == 2 && Set(paid.compactMap(\.order)).count == 2
      }
    },
    Scenario(
      "crossing-2", .queue,
      title: BilingualText(
        "A for 6 yuan is interrupted, B for 12 goes well, then C for 6", "A（6 元）中断，B（12 元）成功，随后 C（6 元）"),
      naive: crossed, cast: old, expecting: ScenarioExpectation(charges: 3, coins: ["ann": 207])
    ) { play in
      try await play.behaviour(.loseNotifications)
      try await play.behaviour(.loseTokens)
      try await play.open("ann")
      play.say("Order A fails with new terms; Ann accepts them an hour later.", "订单 A 因新条款失败；Ann 一小时后才接受。")
      await play.buy("coins.100", .interrupted(acceptsAfter: .hours(1)))
      play.say("Order B, another product, goes well.", "订单 B 是另一种商品，购买成功。")
      await play.buy("coins.7")
      try await play.pass(.hours(1))
      play.say(
        "A's charge has arrived without an order id; Ann buys C, the same product as A.",
        "A 的扣款到达，没有订单号；Ann 购买 C，与 A 同一商品。")
      await play.foreground()
      await play.buy("coins.100")
    },
  ]
}
