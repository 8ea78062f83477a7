import PaymentPrimitives
import WeChatPaySimulator

// The eight cases in which WeChat's callback never comes (checklist 1A.15), and two more.

extension Scenarios {
  private static let dan = ScenarioCast(phones: [ScenarioCast.android("dan")])
  private static let one = ScenarioExpectation(charges: 1, coins: ["dan": 100])
  private static let stuck = BilingualText(
    "The page waits for a callback that never comes, or tells the customer that he has failed while the cashier is "
      + "still open.",
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
    english: "The cashier was opened for the order, and the app was told nothing", chinese: "收银台已为订单打开，应用没有得到任何结果",
    after: .minutes(1)
  ) { $1.cashiersOpened == 1 && $1.resultsTold == 0 }

  private static let neverOpened = Look(
    english: "The cashier was never opened, and the app was told nothing", chinese: "收银台从未打开，应用没有得到任何结果",
    after: .minutes(2)
  ) { $1.cashiersOpened == 0 && $1.resultsTold == 0 }

  /// The customer leaves without paying, and pays on the next attempt.
  private static func left(
    _ number: Int, _ english: String, _ chinese: String, _ visit: WeChatVisitScript, _ look: Look
  ) -> Scenario {
    Scenario(
      "wechat-\(number)", .weChat, BilingualText(english, chinese), naive: stuck, cast: dan, expecting: one
    ) { play in
      try await play.open("dan")
      play.willInWeChat(visit, WeChatVisitScript(action: .pay))
      play.say("Dan buys; the app hands the order to WeChat. \(english).", "Dan 购买，应用把订单交给微信。\(chinese)。")
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
      play.say("He taps again and pays.", "他再次点击并付款。")
      await play.buyOnAndroid("coins.100")
    }
  }

  static let weChat: [Scenario] = [
    left(
      1, "He closes the payment sheet with the system's back key", "他用系统返回键关闭支付面板",
      WeChatVisitScript(action: .leave, isTold: false), opened),
    left(
      2, "The password box is open, he types nothing and goes back", "密码框已打开，他没有输入就返回",
      WeChatVisitScript(action: .leave, staysOpenFor: .minutes(1), isNoticed: false, isTold: false),
      Look(
        english: "He is back, WeChat Pay was asked, and the box is still open behind the app",
        chinese: "他已返回，已向微信支付查单，而密码框仍在应用后面打开"
      ) { !$0.questions.answers.isEmpty && $1.isOpen && $1.resultsTold == 0 }),
    left(
      3, "He goes to the home screen, and from there to the app", "他回到主屏幕，再打开应用",
      WeChatVisitScript(action: .leave, thinking: .seconds(5), isNoticed: false, isTold: false),
      Look(
        english: "He is at the home screen: the cashier is left, and the app knows nothing of it",
        chinese: "他在主屏幕：收银台已离开，应用对此一无所知"
      ) { $1.cashiersOpened == 1 && !$1.isOpen && $1.resultsTold == 0 }),
    left(
      4, "He locks the screen and unlocks it", "他锁屏后再解锁",
      WeChatVisitScript(action: .leave, thinking: .seconds(50), isTold: false), opened),
    Scenario(
      "wechat-5", .weChat,
      BilingualText("He pulls the notification shade down, then pays", "他下拉通知栏，随后付款"), naive: stuck, cast: dan,
      expecting: one
    ) { play in
      try await play.open("dan")
      play.willInWeChat(
        WeChatVisitScript(action: .payLater(.seconds(40), winsOverClose: true), isNoticed: true, isTold: false))
      play.say(
        "The app believes him back and asks: not paid. He pays half a minute later.", "应用以为他已返回并查单：未支付。半分钟后他才付款。")
      await play.buyOnAndroid("coins.100")
      try await play.pass(.minutes(2))
    },
    Scenario(
      "wechat-6", .weChat,
      BilingualText("He pays and leaves without the done button", "他已付款，但没有点“完成”就离开"),
      naive: BilingualText(
        "No callback, no delivery: the money is taken and the customer is told nothing.", "没有回调就不发货：钱已扣走，用户却没有任何结果。"),
      cast: dan, expecting: one
    ) { play in
      try await play.open("dan")
      play.willInWeChat(WeChatVisitScript(action: .payAndLeave, isNoticed: true, isTold: false))
      play.say("Dan pays and goes to the home screen; the callback never comes.", "Dan 付款后回到主屏幕；回调始终没有来。")
      await play.buyOnAndroid("coins.100")
      await play.foreground()
    },
    left(
      7, "WeChat was logged out; he comes back in the middle of the login", "微信未登录；他在登录途中返回",
      WeChatVisitScript(stop: .login, action: .leave, thinking: .seconds(60), isTold: false), neverOpened),
    left(
      8, "There are two WeChats; he cancels the chooser", "有两个微信分身；他取消了选择框",
      WeChatVisitScript(stop: .chooser, action: .leave, thinking: .seconds(1), isTold: false), neverOpened),
    Scenario(
      "wechat-paid-later", .weChat,
      BilingualText("The app was told unpaid, and the cashier was still open", "应用已得知未支付，但收银台仍然打开"),
      naive: BilingualText(
        "Unpaid is taken for final: the order is closed here alone, and the payment that follows belongs to nothing.",
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
      BilingualText("The app is killed in WeChat, and nothing was paid", "在微信中应用被杀死，且没有付款"),
      naive: BilingualText(
        "Code that grants when the customer comes back grants for nothing.", "用户一返回就发货的代码，会白白发货。"), cast: dan,
      expecting: ScenarioExpectation(charges: 0)
    ) { play in
      try await play.open("dan")
      play.willInWeChat(WeChatVisitScript(action: .fail, isNoticed: true, isTold: true))
      play.say("WeChat says −1; the app is killed and started again.", "微信返回 −1；应用被杀死后重新启动。")
      await play.buyOnAndroid("coins.100")
      play.close()
      try await play.open("dan")
      await play.foreground()
    },
  ]
}
