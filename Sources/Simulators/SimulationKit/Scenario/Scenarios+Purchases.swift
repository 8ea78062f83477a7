import AppStoreSimulator
import Counterfoil
import PaymentModel
import PaymentPrimitives

// Purchases that the app never learns of, or learns wrongly.

extension Scenarios {
  static let purchases: [Scenario] = killed + misheard

  private static let oneForAnn = ScenarioExpectation(charges: 1, coins: ["ann": 100])

  private static let killed: [Scenario] = [
    Scenario(
      "kill-after-password", .purchase,
      title: BilingualText("The app is killed after the password, before it gets the result", "输入密码后、收到回调前，应用被杀死"),
      naive: BilingualText(
        "Code that stores the order in the purchased callback has stored nothing. The charge comes back at the "
          + "next launch without an order and is finished as unknown.",
        "在“已购买”回调里才保存订单的代码，此时什么也没有保存；下次启动时这笔扣款找不到订单，被当作未知交易结束。"),
      expecting: oneForAnn
    ) { play in
      play.say("Ann opens the app and buys 100 coins.", "Ann 打开应用，购买 100 金币。")
      try await play.open("ann")
      await play.buy("coins.100", .paysAndAppDies, patience: .seconds(20))
      play.say("She types her password; the phone kills the app at once.", "她输入密码，系统随即杀死了应用。")
      try await play.pass(.minutes(1))
      try await play.holds(
        "Apple's notification has reached the server: granted without the phone", "Apple 的通知已到达服务器：无需手机即已入账"
      ) { try await $0.coins(of: "ann") == 100 }
      play.say("She opens the app again.", "她再次打开应用。")
      try await play.reopen("ann")
    },
    Scenario(
      "phone-never-opened-again", .purchase,
      title: BilingualText("Killed after the password, and the phone is never opened again", "输入密码后被杀死，手机从此不再打开"),
      naive: BilingualText(
        "A server that learns of purchases only from the app never learns of this one.", "只从应用得知购买的服务器，永远不会知道这一笔。"),
      cast: ScenarioCast(phones: [ScenarioCast.phone("ann", isLost: true)]), expecting: oneForAnn
    ) { play in
      play.say("Ann buys 100 coins; the app dies, and the phone falls into a lake.", "Ann 购买 100 金币；应用被杀死，手机掉进了湖里。")
      try await play.open("ann")
      await play.buy("coins.100", .paysAndAppDies, patience: .seconds(20))
    },
    Scenario(
      "first-window", .purchase,
      title: BilingualText("Window 1: the app is gone before Apple's dialog is confirmed", "窗口一：确认 Apple 对话框之前应用已退出"),
      naive: BilingualText(
        "Product and order were only in memory. The transaction that the next launch delivers has no owner.",
        "商品和订单只存在于内存：下次启动送来的交易不属于任何人。"),
      expecting: oneForAnn
    ) { play in
      play.say("Every notification about the purchase is lost, and so is its order id.", "这笔购买的通知全部丢失，订单号也丢失。")
      try await play.behaviour(.loseNotifications)
      try await play.behaviour(.loseTokens)
      try await play.open("ann")
      await play.buy("coins.100", .paysAndAppDies, patience: .seconds(20))
      try await play.pass(.hours(2))
      try await play.holds("The server does not know of the charge yet", "服务器目前还不知道这笔扣款") {
        try await $0.payments().isEmpty
      }
      play.say("The next launch finds the record that was written before the sheet opened.", "下次启动时找到支付弹窗打开之前写下的记录。")
      try await play.reopen("ann")
      try await play.holds("The charge has paid the order of the record", "这笔扣款已与记录中的订单匹配") {
        try await $0.payments().map(\.match?.rule) == [.presented]
      }
    },
    Scenario(
      "second-window", .purchase,
      title: BilingualText("Window 2: confirmed, but verification did not complete", "窗口二：已确认，但验证尚未完成"),
      naive: BilingualText(
        "Sample code finishes the transaction when the request fails. The money is lost.",
        "示例代码在请求失败时就结束交易：这笔钱从此找不回来。"),
      expecting: oneForAnn
    ) { play in
      try await play.behaviour(.loseNotifications)
      try await play.open("ann")
      play.say("Ann pays while the server goes down.", "Ann 付款时，服务器宕机。")
      play.director {
        try? await play.pass(.seconds(1)); play.stopServer()
      }
      await play.buy("coins.100", patience: .seconds(40))
      play.close()
      try await play.holds("The server has received nothing", "服务器没有得到任何消息") { try await $0.payments().isEmpty }
      play.say("The server is up again; the app starts.", "服务器恢复；应用启动。")
      try await play.startServer()
      try await play.reopen("ann")
    },
    Scenario(
      "kill-before-password", .purchase,
      title: BilingualText("The app is killed before the password: nothing is charged", "输入密码前应用被杀死：没有扣款"),
      naive: BilingualText(
        "Code that grants as soon as the order exists gives the coins away.", "看到订单就发货的代码，会白送金币。"),
      expecting: ScenarioExpectation(charges: 0)
    ) { play in
      try await play.open("ann")
      play.say("The sheet is open; the app dies before the password.", "支付弹窗打开；输入密码前应用被杀死。")
      await play.buy("coins.100", .appDies, patience: .seconds(20))
      try await play.reopen("ann")
      try await play.holds("The order is open and not paid", "订单仍未支付") {
        try await $0.orders().allSatisfy { $0.state == .awaitingPayment }
      }
    },
  ]

  private static let misheard: [Scenario] = [
    Scenario(
      "charged-but-failed", .purchase,
      title: BilingualText("The callback says failed, and the money was taken", "回调显示失败，但已扣款"),
      naive: BilingualText(
        "Code that deletes the order on failure has no owner for the purchased transaction that follows.",
        "失败时删除订单的代码，随后到来的“已购买”交易就找不到归属。"),
      expecting: oneForAnn
    ) { play in
      try await play.behaviour(.loseTokens)
      try await play.behaviour(.loseNotifications)
      try await play.open("ann")
      play.say(
        "The connection breaks between charge and answer: the device reports a failure.", "扣款与应答之间断线：设备提示购买失败。")
      await play.buy("coins.100", .paysAndSeemsToFail)
      play.say("The app checks the queue again, now and at the next launch.", "应用再次检查支付队列，下次启动时也会检查。")
      try await play.reopen("ann")
    },
    Scenario(
      "charged-but-cancelled", .purchase,
      title: BilingualText("The device reports a cancellation, but the user paid", "设备提示用户取消，实际已付款"),
      naive: BilingualText(
        "Code that takes a cancellation as proof of no charge drops a paid order.", "把“取消”当作未扣款证据的代码，会丢弃已付款的订单。"),
      expecting: oneForAnn
    ) { play in
      try await play.open("ann")
      play.say(
        "Ann pays; a later dialog is dismissed, and StoreKit reports a cancellation.",
        "Ann 已付款；随后关闭了另一个对话框，StoreKit 报告“取消”。")
      await play.buy("coins.100", .paysAndSeemsToCancel)
      await play.foreground()
    },
    Scenario(
      "callback-lost", .purchase,
      title: BilingualText("The purchase never returns", "购买调用一直不返回"),
      naive: BilingualText(
        "A page that waits for the callback shows its spinner for ever, and the user kills the app.",
        "等待回调的页面一直转圈，用户只好杀掉应用。"),
      expecting: oneForAnn
    ) { play in
      try await play.open("ann")
      play.say("Ann pays, and the device reports nothing.", "Ann 付款后，设备没有任何反应。")
      await play.buy("coins.100", .paysAndNothingIsHeard)
      play.say("After thirty seconds the app checks by itself.", "三十秒后应用自行查询。")
      await play.foreground()
    },
    interrupted,
  ]

  private static let interrupted = Scenario(
    "interrupted-purchase", .purchase,
    title: BilingualText("An interrupted purchase, in its twelve steps", "中断购买的十二个步骤"),
    naive: BilingualText(
      "The failed callback removes the order. The second transaction carries no order id and is finished as unknown.",
      "失败回调删除了订单；第二笔交易没有订单号，被当作未知交易结束。"),
    expecting: oneForAnn
  ) { play in
    try await play.open("ann")
    try await interrupt(play)
    try await play.pass(.minutes(5))
    play.handset().interruptPurchases(false)
    play.say(
      "9. Interruption is turned off again (Apple's page leaves this step out).", "9. 关闭“中断购买”（Apple 的文档漏写了这一步）。")
    play.handset().acceptTerms()
    play.say("10. Ann accepts.", "10. Ann 接受条款。")
    try await play.pass(.minutes(1))
    try await play.holds(
      "11. A second transaction arrives: purchased, same product and quantity, no order id",
      "11. 出现第二笔交易：已购买，商品和数量相同，没有订单号"
    ) { _ in
      let sold = try await play.atApple { await $0.transactions() }
      let shown = play.talk().compactMap { if case .shows(let entry) = $0, entry.isEvidence { entry } else { nil } }
      return sold.count == 1 && sold[0].product == "com.example.coins100" && sold[0].quantity == 1
        && shown.contains { $0.id == sold[0].id && $0.state == .purchased && $0.token == nil }
    }
    await play.foreground()
    try await play.holds("12. It is verified, has paid the order, and is finished", "12. 验证通过，与订单匹配，并结束交易") {
      let payments = try await $0.payments()
      let orders = try await $0.orders()
      let isFinished = try await play.isQueueEmpty()
      return payments.count == 1 && payments[0].state == .fulfilled && payments[0].order == orders.first?.key.id
        && orders.map(\.isPaid) == [true] && isFinished
    }
  }

  /// The first eight steps: up to the terms on the screen.
  private static func interrupt(_ play: ScenarioPlay) async throws {
    play.handset().interruptPurchases(true)
    play.say("1. Interruption is turned on for the account.", "1. 为账户打开“中断购买”。")
    try await play.buy("coins.100") {
      try await play.holds("2. Ann buys; the order is created and stored in the vault", "2. Ann 购买；订单已创建并写入保险箱") {
        let phase = try await play.phaseInVault()
        return try await $0.orders().map(\.state) == [.awaitingPayment] && phase == .paying
      }
      try await play.holds("3. The payment sheet opens", "3. 支付弹窗打开") { _ in
        play.talk().contains(.pays("com.example.coins100"))
      }
      try await play.holds("4. The transaction is in the state purchasing", "4. 交易处于“购买中”") { _ in
        if case .shows(let entry) = play.talk().last { entry.state == .purchasing } else { false }
      }
      play.say("5. Ann types her password.", "5. Ann 输入密码。")
    }
    let failed = play.talk().compactMap { talk -> StoreTransaction? in
      if case .shows(let entry) = talk, case .failed = entry.state { entry } else { nil }
    }
    try await play.holds("6. The transaction fails: Apple requires new terms", "6. 交易失败：Apple 要求接受新条款") { _ in
      guard failed.count == 1, case .failed(let failure) = failed[0].state else { return false }
      return failure.innerCode == 3038
    }
    try await play.holds("7. It is finished; the order and its record stay", "7. 失败的交易被结束；订单和记录都保留") {
      let isFinished = failed.allSatisfy { play.talk().contains(.finishes($0)) }
      let phase = try await play.phaseInVault()
      return try await $0.orders().map(\.state) == [.awaitingPayment] && isFinished && phase == .failedOnce
    }
    try await play.holds("8. The sheet with the terms opens outside the app", "8. 条款页面在应用之外打开") { _ in
      play.handset().showsTerms && play.talk().count { if case .pays = $0 { true } else { false } } == 1
    }
  }
}
