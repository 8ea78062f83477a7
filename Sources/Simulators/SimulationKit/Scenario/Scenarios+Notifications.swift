import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives

// Every row of Apple's table, with its effect on a customer.

extension Scenarios {
  static let notifications: [Scenario] = oneTime + renewals + changes + otherNews

  static let subscriber = ScenarioCast(sellsSubscriptions: true)
  static let coinBuyer = ScenarioExpectation(charges: 1, coins: ["ann": 100])

  /// The name of a row's scenario: `notify-did-renew-billing-recovery`.
  static func name(of row: NotificationRow) -> String {
    "notify-" + row.description.lowercased().map { $0 == "_" || $0 == " " ? "-" : $0 }
  }

  /// The scenario of a row; at its end the server must have stored the notification.
  static func row(
    _ title: String, _ english: String, chinese: String, naive: BilingualText, cast: ScenarioCast = subscriber,
    expected: ScenarioExpectation, play: @escaping @Sendable (ScenarioPlay) async throws -> Void
  ) -> Scenario {
    guard let row = NotificationRow.all.first(where: { $0.description == title }) else {
      preconditionFailure("\(title) is no row of Apple's table")
    }
    return Scenario(
      name(of: row), .notification, title: BilingualText("\(title): \(english)", "\(title)：\(chinese)"), naive: naive,
      cast: cast, expecting: expected
    ) { context in
      try await play(context)
      try await context.pass(.minutes(2))
      try await context.isWritten(row)
    }
  }

  static let oneTime: [Scenario] = [
    row(
      "ONE_TIME_CHARGE", "a purchase on a phone that is never seen again", chinese: "手机再也没有出现的购买",
      naive: BilingualText("Most servers ignore it and wait for the phone.", "多数服务器不处理此通知，只等手机上报。"),
      cast: ScenarioCast(phones: [ScenarioCast.phone("ann", isLost: true)]), expected: coinBuyer
    ) { play in
      try await play.open("ann")
      play.say("Ann pays, and her phone is lost.", "Ann 付款后，手机丢失。")
      await play.buy("coins.100", .paysAndAppDies, patience: .seconds(20))
    },
    row(
      "REFUND", "Apple gives the money back", chinese: "Apple 退款",
      naive: BilingualText("The user keeps the coins, and the next refund follows.", "金币仍在，接着还会有下一次退款。"),
      cast: ScenarioCast(),
      expected: ScenarioExpectation(charges: 1, told: ["grant.created": 1, "grant.reversed": 1])
    ) { play in
      try await play.buyCoins()
      play.say("A week later Apple refunds the purchase.", "一周后 Apple 退款。")
      try await play.pass(.days(7))
      let coins = try await play.lastTransaction(of: "com.example.coins100")
      try await play.atApple { _ = try await $0.refunds.refund(coins) }
    },
    row(
      "REFUND SEATS", "seats of a group purchase are refunded", chinese: "团体购买的席位被退款",
      naive: BilingualText("Code that takes it for a full refund takes everything back.", "被当作全额退款，收回了全部。"),
      cast: ScenarioCast(),
      expected: coinBuyer
    ) { play in
      try await play.buyCoins()
      play.say(
        "Apple reports seats, which this app does not sell: kept, counted, no effect.",
        "Apple 通知席位退款，而本应用不出售席位：记录、计数，不产生影响。")
      let coins = try await play.lastTransaction(of: "com.example.coins100")
      try await play.atApple { try await $0.notificationCommands.tell(.refund, .seats, about: coins) }
    },
    row(
      "REFUND_DECLINED", "the user asked for a refund and does not get it", chinese: "用户申请退款，被拒绝",
      naive: BilingualText("The request alone has already taken the user's coins.", "仅因申请退款，金币就被收回。"),
      cast: ScenarioCast(), expected: coinBuyer
    ) { play in
      try await play.buyCoins()
      let coins = try await play.lastTransaction(of: "com.example.coins100")
      play.say("Ann asks for a refund; Apple declines.", "Ann 申请退款；Apple 拒绝。")
      try await play.atApple { store in
        try await store.refunds.request(coins)
        try await store.refunds.decline(coins)
      }
    },
    row(
      "REFUND_REVERSED", "the refund is undone", chinese: "退款被撤销",
      naive: BilingualText("What was taken back stays taken. The user has paid and has nothing.", "收回的没有归还：用户白付了钱。"),
      cast: ScenarioCast(),
      expected: ScenarioExpectation(
        charges: 1, coins: ["ann": 100], told: ["grant.created": 1, "grant.reversed": 1, "grant.reinstated": 1])
    ) { play in
      try await play.buyCoins()
      let coins = try await play.lastTransaction(of: "com.example.coins100")
      play.say("Apple refunds, and a day later reverses the refund.", "Apple 退款，一天后撤销退款。")
      try await play.atApple { _ = try await $0.refunds.refund(coins) }
      try await play.pass(.days(1))
      try await play.holds("The coins were taken back", "金币已收回") { try await $0.coins(of: "ann") == 0 }
      try await play.atApple { try await $0.refunds.reverse(coins) }
    },
    row(
      "CONSUMPTION_REQUEST", "Apple asks how the purchase was used", chinese: "Apple 询问购买的使用情况",
      naive: BilingualText("No answer is sent within twelve hours, and each refund is approved.", "十二小时内无人答复，退款总被批准。"),
      expected: ScenarioExpectation(charges: 1, told: ["grant.created": 1, "grant.reversed": 1])
    ) { play in
      try await play.buyCoins()
      let coins = try await play.lastTransaction(of: "com.example.coins100")
      play.say(
        "Ann asks for a refund; she has not consented to an answer, so none is given.", "Ann 申请退款；她未同意提供数据，因此不作答复。")
      try await play.atApple { try await $0.refunds.request(coins) }
      try await play.pass(.hours(11))
      try await play.holds("Nothing is taken back while Apple decides", "Apple 决定之前不收回任何东西") {
        try await $0.coins(of: "ann") == 100
      }
      play.say("After twelve hours Apple approves the refund.", "十二小时后 Apple 批准退款。")
      try await play.pass(.hours(2))
    },
    row(
      "REVOKE", "a member leaves the family", chinese: "家庭成员退出共享",
      naive: BilingualText("The member keeps what is no longer shared with them.", "成员仍保留已不再共享的权益。"),
      cast: ScenarioCast(phones: [ScenarioCast.phone("ann"), ScenarioCast.phone("bob")]),
      expected: ScenarioExpectation(
        charges: 1, grants: 2, rights: ["ann": ["premium"]], told: ["grant.created": 2, "grant.reversed": 1])
    ) { play in
      try await play.open("ann")
      play.say("Ann buys premium and shares it with Bob's account.", "Ann 购买 premium，并共享给 Bob 的账户。")
      await play.buy("premium")
      let bought = try await play.lastTransaction(of: "com.example.premium")
      let shared = try await play.atApple { try await $0.familySharing.share(bought, with: "bob").id }
      try await play.open("bob", on: 1)
      await play.foreground(1)
      try await play.holds("Bob has the entitlement, and no order", "Bob 拥有权益，没有订单") {
        let (rights, orders) = (try await $0.rights(of: "bob"), try await $0.orders().count)
        return rights == ["premium"] && orders == 1
      }
      play.say("Bob leaves the family.", "Bob 退出家庭。")
      try await play.atApple { try await $0.familySharing.end(shared) }
    },
  ]
}

extension ScenarioPlay {
  func buyCoins() async throws {
    try await open("ann")
    say("Ann buys 100 coins.", "Ann 购买 100 金币。")
    await buy("coins.100")
  }
}
