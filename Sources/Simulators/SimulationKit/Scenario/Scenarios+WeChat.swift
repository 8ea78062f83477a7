import PaymentPrimitives
import WeChatPaySimulator

// The eight cases in which WeChat's callback never comes (checklist 1A.15), and two more.

extension Scenarios {
  private static let dan = ScenarioCast(phones: [ScenarioCast.android("dan")])
  private static let one = ScenarioExpectation(charges: 1, coins: ["dan": 100])
  private static let stuck = BilingualText(
    "The page waits for a callback that never comes, or it reports a failure while the cashier is still open.",
    "页面等待永远不会来的回调，或在收银台仍然打开时告诉用户支付失败。")

  /// A check during a visit to WeChat: a sentence, and whether the phone and WeChat Pay confirm it.
  private struct Look: Sendable {
    var english: String
    var chinese: String
    /// The time of the check after the tap; it comes before the customer opens the app again.
    var after = TimeSpan.seconds(30)
    var holds: @Sendable (ScenarioPlay, WorldWeChat) -> Bool
  }

  private static let opened = Look(
    english: "The cashier was opened for the order, and the app got no result", chinese: "收银台已为订单打开，应用没有得到任何结果",
    after: .minutes(1)
  ) { $1.cashiersOpened == 1 && $1.resultsTold == 0 }

  private static let neverOpened = Look(
    english: "The cashier was never opened, and the app got no result", chinese: "收银台从未打开，应用没有得到任何结果",
    after: .minutes(2)
  ) { $1.cashiersOpened == 0 && $1.resultsTold == 0 }

  /// The customer leaves without paying, and pays on the next attempt.
  private static func left(
    _ number: Int, _ english: String, chinese: String, visit: WeChatVisitScript, look: Look
  ) -> Scenario {
    Scenario(
      "wechat-\(number)", .weChat, title: BilingualText(english, chinese), naive: stuck, cast: dan, expecting: one
    ) { play in
      try await play.open("dan")
      play.willInWeChat(visit, WeChatVisitScript(action: .pay))
      play.say("Dan buys; the app sends the order to WeChat. \(english).", "Dan 购买，应用把订单交给微信。\(chinese)。")
      try await play.buyOnAndroid("coins.100", after: look.after) {
        try await play.holds(look.english, look.chinese) { _ in
          play.phone().weChat.map { look.holds(play, $0) } ?? false
        }
        await play.foreground()
      }
      try await play.holds("WeChat Pay itself was asked: not paid, and nothing granted", "已直接向微信支付查单：未支付，未入账") {
        let coins = try await $0.coins(of: "dan")
        return Set(play.questions.answers) == ["NOTPAY"] && coins == 0
      }
      play.say("Dan taps again and pays.", "Dan 再次点击并付款。")
      await play.buyOnAndroid("coins.100")
    }
  }

  static let weChat: [Scenario] = [
    left(
      1, "The user closes the payment sheet with the system's back key", chinese: "用户用系统返回键关闭支付面板",
      visit: WeChatVisitScript(action: .leave, isTold: false), look: opened),
    left(
      2, "The password box is open; the user types nothing and goes back", chinese: "密码框已打开，用户没有输入就返回",
      visit: WeChatVisitScript(action: .leave, staysOpenFor: .minutes(1), isNoticed: false, isTold: false),
      look: Look(
        english: "Dan is back, WeChat Pay was queried, and the box is still open behind the app",
        chinese: "Dan 已返回，已向微信支付查单，而密码框仍在应用后面打开"
      ) { !$0.questions.answers.isEmpty && $1.isOpen && $1.resultsTold == 0 }),
    left(
      3, "The user goes to the home screen, and from there to the app", chinese: "用户回到主屏幕，再打开应用",
      visit: WeChatVisitScript(action: .leave, thinking: .seconds(5), isNoticed: false, isTold: false),
      look: Look(
        english: "Dan is at the home screen: the cashier is left, and the app knows nothing of it",
        chinese: "Dan 已离开收银台回到主屏幕，应用尚不知情"
      ) { $1.cashiersOpened == 1 && !$1.isOpen && $1.resultsTold == 0 }),
    left(
      4, "The user locks the screen and unlocks it", chinese: "用户锁屏后再解锁",
      visit: WeChatVisitScript(action: .leave, thinking: .seconds(50), isTold: false), look: opened),
    Scenario(
      "wechat-5", .weChat,
      title: BilingualText("The user pulls the notification shade down, then pays", "用户下拉通知栏，随后付款"), naive: stuck,
      cast: dan,
      expecting: one
    ) { play in
      try await play.open("dan")
      play.willInWeChat(
        WeChatVisitScript(action: .payLater(.seconds(40), winsOverClose: true), isNoticed: true, isTold: false))
      play.say(
        "The app assumes that Dan is back and queries: not paid. Dan pays half a minute later.",
        "应用以为 Dan 已返回并查单：未支付。半分钟后 Dan 才付款。")
      await play.buyOnAndroid("coins.100")
      try await play.pass(.minutes(2))
    },
    Scenario(
      "wechat-6", .weChat,
      title: BilingualText("The user pays and leaves without the done button", "用户已付款，但没有点“完成”就离开"),
      naive: BilingualText(
        "No callback, no delivery: the money is taken, and the user gets no message.",
        "没有回调就不发货：钱已扣走，用户却没有任何结果。"),
      cast: dan, expecting: one
    ) { play in
      try await play.open("dan")
      play.willInWeChat(WeChatVisitScript(action: .payAndLeave, isNoticed: true, isTold: false))
      play.say("Dan pays and goes to the home screen; the callback never comes.", "Dan 付款后回到主屏幕；回调始终没有来。")
      await play.buyOnAndroid("coins.100")
      await play.foreground()
    },
    left(
      7, "WeChat was logged out; the user comes back in the middle of the login", chinese: "微信未登录；用户在登录途中返回",
      visit: WeChatVisitScript(stop: .login, action: .leave, thinking: .seconds(60), isTold: false), look: neverOpened),
    left(
      8, "Two WeChat apps are installed; the user cancels the chooser", chinese: "安装了两个微信；用户取消了选择框",
      visit: WeChatVisitScript(stop: .chooser, action: .leave, thinking: .seconds(1), isTold: false),
      look: neverOpened),
    Scenario(
      "wechat-paid-later", .weChat,
      title: BilingualText("The app was told unpaid, and the cashier was still open", "应用已得知未支付，但收银台仍然打开"),
      naive: BilingualText(
        "Unpaid is taken as final. The order is closed only on the server, and the payment that follows has no order.",
        "把“未支付”当作最终结果：只在本地关单，随后的付款没有归属。"),
      cast: dan, expecting: one
    ) { play in
      try await play.open("dan")
      play.willInWeChat(
        WeChatVisitScript(action: .payLater(.minutes(20), winsOverClose: true), isNoticed: true, isTold: false))
      play.say("Dan leaves; twenty minutes later the payment goes through.", "Dan 离开；二十分钟后付款成功。")
      await play.buyOnAndroid("coins.100")
      play.close()
      try await play.pass(.minutes(25))
    },
    Scenario(
      "wechat-success-unpaid", .weChat,
      title: BilingualText("The app is killed in WeChat, and nothing was paid", "在微信中应用被杀死，且没有付款"),
      naive: BilingualText(
        "Code that grants when the user comes back grants without a payment.", "用户一返回就发货的代码，会白白发货。"), cast: dan,
      expecting: ScenarioExpectation(charges: 0)
    ) { play in
      try await play.open("dan")
      play.willInWeChat(WeChatVisitScript(action: .fail, isNoticed: true, isTold: true))
      play.say("WeChat returns −1; the app is killed and started again.", "微信返回 −1；应用被杀死后重新启动。")
      await play.buyOnAndroid("coins.100")
      play.close()
      try await play.open("dan")
      await play.foreground()
    },
  ]
}
