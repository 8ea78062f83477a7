import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives

// Notifications from Apple that change no purchase: stored, counted, shown.

extension Scenarios {
  private static let unknown = BilingualText(
    "A type that the library does not know fails the whole endpoint, and Apple stops sending.",
    "库不认识的类型让整个通知接口出错，Apple 随后放弃发送。")

  static let otherNews: [Scenario] = [
    about("METADATA_UPDATE", .metadataUpdate, english: "a description changed", chinese: "描述变更"),
    about("MIGRATION", .migration, english: "a subscription was moved over", chinese: "订阅迁移"),
    about("PRICE_CHANGE", .priceChange, english: "a price changed", chinese: "价格变更"),
    about("UNCLAIM_SEATS", .unclaimSeats, english: "seats were given up", chinese: "席位释放", seats: ["seat-1"]),
    row(
      "RESCIND_CONSENT", "a guardian withdraws consent", chinese: "监护人撤回同意", naive: unknown, cast: ScenarioCast(),
      expected: coinBuyer
    ) { play in
      try await play.buyCoins()
      play.say(
        "Ann's guardian withdraws consent; the team decides about her purchases.",
        "Ann 的监护人撤回同意；已购内容由团队决定如何处理。")
      try await play.atApple {
        try await $0.notificationCommands.rescindConsent(of: AppOwner(account: "ann", bundleId: WorldShop.bundleId))
      }
    },
    token("CREATED", .created, english: "a token for purchases elsewhere", chinese: "站外购买令牌已创建"),
    token("ACTIVE_TOKEN_REMINDER", .activeTokenReminder, english: "a token is still active", chinese: "令牌仍有效的提醒"),
    token("UNREPORTED", .unreported, english: "a token was not reported", chinese: "令牌未上报"),
    row(
      "TEST", "the developer requests it", chinese: "开发者请求的测试通知", naive: unknown, cast: ScenarioCast(),
      expected: coinBuyer
    ) { play in
      try await play.buyCoins()
      play.say("The developer asks Apple for a test notification.", "开发者向 Apple 请求测试通知。")
      try await play.atApple { _ = try await $0.notificationCommands.requestTest(bundleId: WorldShop.bundleId) }
    },
  ]

  private static func about(
    _ title: String, _ type: NotificationTypeV2, english: String, chinese: String, seats: [String] = []
  ) -> Scenario {
    row(title, english, chinese: chinese, naive: unknown, cast: ScenarioCast(), expected: coinBuyer) { play in
      try await play.buyCoins()
      play.say("Apple reports something that this app does not use.", "Apple 通知了本应用未使用的功能。")
      let coins = try await play.lastTransaction(of: "com.example.coins100")
      try await play.atApple { try await $0.notificationCommands.tell(type, about: coins, seats: seats) }
    }
  }

  private static func token(
    _ title: String, _ subtype: Subtype, english: String, chinese: String
  ) -> Scenario {
    row(
      "EXTERNAL_PURCHASE_TOKEN \(title)", english, chinese: chinese, naive: unknown, cast: ScenarioCast(),
      expected: coinBuyer
    ) { play in
      try await play.buyCoins()
      play.say("Apple reports a token for purchases outside the App Store.", "Apple 通知站外购买令牌。")
      try await play.atApple {
        _ = try await $0.notificationCommands.tellExternalPurchase(subtype, bundleId: WorldShop.bundleId)
      }
    }
  }
}
