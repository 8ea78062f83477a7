import AppStoreSimulator
import PaymentModel
import PaymentPrimitives

// Repeated transactions, with lost user names and lost answers.

extension Scenarios {
  static let repeats: [Scenario] = [
    Scenario(
      "finish-does-not-stick", .purchase,
      title: BilingualText("Finishing is confirmed but not done: the transaction comes back", "结束交易有应答却未生效：交易再次出现"),
      naive: BilingualText(
        "Code that grants each purchased transaction grants this one at every launch.", "每见到“已购买”就发货的代码，会在每次启动时重复发货。"),
      expecting: ScenarioExpectation(charges: 1, coins: ["ann": 100])
    ) { play in
      try await play.behaviour(.loseFinishes, 3)
      try await play.open("ann")
      play.say("Ann buys; the next three finishes are lost.", "Ann 购买；接下来三次结束交易都会丢失。")
      await play.buy("coins.100")
      for _ in 0..<3 {
        play.say("The app starts, and the transaction is there again.", "应用启动，这笔交易再次出现。")
        try await play.reopen("ann")
      }
      try await play.holds("It is one payment, and granted once", "它仍是同一笔支付，只入账一次") {
        try await $0.payments().count == 1
      }
    },
    Scenario(
      "told-many-times", .purchase,
      title: BilingualText("One purchase, reported many times by phone and by Apple", "同一笔购买，手机和 Apple 多次告知"),
      naive: BilingualText(
        "Two requests look up the transaction at the same time, both find nothing, and both grant.",
        "两个请求同时查询，都没查到记录，于是都发了货。"),
      expecting: ScenarioExpectation(charges: 1, coins: ["ann": 100])
    ) { play in
      try await play.behaviour(.duplicateNotifications, 5)
      try await play.behaviour(.notifyBeforeAnswer)
      try await play.behaviour(.loseFinishes, 2)
      try await play.open("ann")
      play.say("Apple notifies six times, and the phone submits at the same time.", "Apple 通知六次，手机同时上报。")
      await play.buy("coins.100")
      try await play.reopen("ann")
      try await play.holds("The backend was notified of one grant", "后端只收到一次发货通知") { $0.told == ["grant.created": 1] }
    },
    Scenario(
      "bought-twice", .purchase,
      title: BilingualText("The same product bought twice: two charges, two grants", "同一商品购买两次：两笔扣款，两次发货"),
      naive: BilingualText(
        "Code with a paid flag, or with one record per product, takes the second purchase for the first and finishes "
          + "it undelivered.",
        "全局“已支付”标记，或每个商品一条记录，会把第二笔当作第一笔，未发货就结束。"),
      expecting: ScenarioExpectation(charges: 2, coins: ["ann": 200])
    ) { play in
      try await play.open("ann")
      play.say("Ann buys 100 coins, and 100 coins again.", "Ann 购买 100 金币，接着再买 100 金币。")
      await play.buy("coins.100", .paysAndNothingIsHeard, patience: .seconds(15))
      await play.foreground()
      await play.buy("coins.100")
    },
    Scenario(
      "user-name-lost", .purchase,
      title: BilingualText("The user name in the transaction is empty", "交易中的用户名（订单号）为空"),
      naive: BilingualText(
        "Code that finds the order only by the user name finds none and finishes the transaction.",
        "仅凭用户名找订单的代码找不到订单，于是结束了交易。"),
      cast: ScenarioCast(phones: [ScenarioCast.phone("ann", isStoreKit1: true)]),
      expecting: ScenarioExpectation(charges: 1, coins: ["ann": 100])
    ) { play in
      try await play.behaviour(.loseTokens)
      try await play.behaviour(.notificationDelayMilliseconds, 600_000)
      try await play.open("ann")
      play.say("Ann pays; Apple's signed data carries no order id.", "Ann 付款；Apple 签名的数据里没有订单号。")
      await play.buy("coins.100", .paysAndAppDies, patience: .seconds(20))
      try await play.reopen("ann")
      try await play.holds("The phone's own record leads to the order", "手机自己的记录找到了订单") {
        try await $0.payments().map(\.match?.rule) == [.presented]
      }
    },
    Scenario(
      "server-down", .purchase,
      title: BilingualText("The server is down while customers pay", "用户付款时服务器宕机"),
      naive: BilingualText(
        "Code that takes a time-out for a rejection finishes what was never delivered.", "把超时当作拒绝的代码，会结束从未发货的交易。"),
      expecting: ScenarioExpectation(charges: 1, coins: ["ann": 100])
    ) { play in
      try await play.behaviour(.loseAttempts, 2)
      try await play.open("ann")
      play.director {
        try? await play.pass(.seconds(1)); play.stopServer()
      }
      play.say("Ann pays; the server does not answer for a minute.", "Ann 付款；服务器一分钟内没有应答。")
      await play.buy("coins.100", patience: .minutes(1))
      try await play.startServer()
      play.say("It is up again; the app retries on its schedule.", "服务器恢复；应用按计划再次询问。")
      try await play.pass(.minutes(4))
    },
    Scenario(
      "answer-lost", .purchase,
      title: BilingualText("Charged, and the App Store's answer is lost", "已扣款，但 App Store 的应答丢失"),
      naive: BilingualText("The user is told to buy again and pays twice.", "用户被提示重新购买，于是付了两次钱。"),
      expecting: ScenarioExpectation(charges: 1, coins: ["ann": 100])
    ) { play in
      try await play.behaviour(.losePurchaseAnswers)
      try await play.open("ann")
      play.say("The store charges; its answer never arrives.", "商店已扣款；应答没有到达。")
      await play.buy("coins.100")
      await play.foreground()
    },
  ]
}
