import PaymentPrimitives
import TOMLConfiguration

/// The keys of `[app.app_store]`.
enum AppStoreKeys {
  static let all = access + receipts + policies + simulator

  private static let keyStandard = ConfigurationKey.Standard.depends(
    BilingualText("required, unless only verify_receipt is used", "必填，除非只使用 verify_receipt"))

  private static let access = [
    ConfigurationKey(
      "app[].app_store", .table, reload: .restart,
      example: """
        issuer_id = "57246542-96fe-1a63-e053-0824d011072a"
        key_id = "2X9R4HXF34"
        private_key = { file = "SubscriptionKey_2X9R4HXF34.p8" }
        """,
      meaning: BilingualText(
        "The access to Apple's servers: it completes receipts and finds lost notifications and refunds. An app can "
          + "start without it.",
        "对 Apple 服务器的访问：用于补全收据、找回丢失的通知与退款。应用可以先不配置。")),
    ConfigurationKey(
      "app[].app_store.issuer_id", .text(bytes: 1...64), standard: keyStandard, reload: .atOnce,
      example: #"issuer_id = "57246542-96fe-1a63-e053-0824d011072a""#,
      meaning: BilingualText(
        "The issuer id of the team, a UUID: App Store Connect, Users and Access, Integrations, In-App Purchase.",
        "团队的 issuer id（UUID）：App Store Connect“用户和访问 - 集成 - App 内购买项目”。")),
    ConfigurationKey(
      "app[].app_store.key_id", .text(bytes: 1...64), standard: keyStandard, reload: .atOnce,
      example: #"key_id = "2X9R4HXF34""#,
      meaning: BilingualText(
        "The id of the In-App Purchase key: ten letters and digits, also in the name of its file.",
        "App 内购买密钥的 id：十位字母和数字，也见于文件名。")),
    ConfigurationKey(
      "app[].app_store.private_key", .secret, standard: keyStandard, reload: .atOnce,
      example: #"private_key = { file = "SubscriptionKey_2X9R4HXF34.p8" }"#,
      meaning: BilingualText(
        "The file SubscriptionKey_….p8 of that key, an elliptic key on P-256.",
        "该密钥的 SubscriptionKey_….p8 文件，P-256 曲线上的椭圆曲线密钥。")),
    ConfigurationKey(
      "app[].app_store.former_key[]", .tables, reload: .atOnce,
      example: """
        key_id = "9K3B7QWE12"
        private_key = { file = "SubscriptionKey_9K3B7QWE12.p8" }
        """,
      meaning: BilingualText(
        "An earlier key of the same issuer, the newest first; at most 4. It is tried when Apple does not accept the "
          + "newer one, so that a key is rotated without a lost call. Remove it before you revoke it at Apple.",
        "同一 issuer 的旧密钥，最新的在前，最多 4 个。Apple 不接受新密钥时会改用旧密钥，因此轮换时不会丢失任何调用。在 Apple 撤销之前请先从配置中删除。")),
    ConfigurationKey(
      "app[].app_store.former_key[].key_id", .text(bytes: 1...64), standard: .required, reload: .atOnce,
      example: #"key_id = "9K3B7QWE12""#, meaning: BilingualText("The id of the earlier key.", "旧密钥的 id。")),
    ConfigurationKey(
      "app[].app_store.former_key[].private_key", .secret, standard: .required, reload: .atOnce,
      example: #"private_key = { file = "SubscriptionKey_9K3B7QWE12.p8" }"#,
      meaning: BilingualText("The file SubscriptionKey_….p8 of the earlier key.", "旧密钥的 SubscriptionKey_….p8 文件。")),
    ConfigurationKey(
      "app[].app_store.released", .bool, standard: .value("true"), reload: .atOnce, example: "released = false",
      meaning: BilingualText(
        "Whether the app was ever on sale. Until then Apple's production servers refuse every call, so only the "
          + "sandbox is asked.",
        "应用是否曾经上架。在此之前 Apple 正式环境会拒绝所有调用，只能询问沙盒。")),
  ]

  private static let receipts = [
    ConfigurationKey(
      "app[].app_store.verify_receipt", .word(["never", "lastResort"]), standard: .value(#""never""#),
      reload: .restart, example: #"verify_receipt = "lastResort""#,
      meaning: BilingualText(
        "Whether Apple's withdrawn service verifyReceipt is asked about receipts that nothing else explains.",
        "对其他途径无法说明的收据，是否询问 Apple 已停止维护的 verifyReceipt 服务。")),
    ConfigurationKey(
      "app[].app_store.shared_secret", .secret,
      standard: .depends(BilingualText("none; receipts with subscriptions need it", "无；含订阅的收据需要它")), reload: .atOnce,
      example: "verify_receipt = \"lastResort\"\nshared_secret = { file = \"shared.secret\" }",
      meaning: BilingualText(
        "The app's shared secret, 32 hexadecimal digits. Receipts with subscriptions need it. Only with "
          + "verify_receipt.",
        "应用的共享密钥，32 位十六进制数字；含订阅的收据需要它。仅与 verify_receipt 一起使用。")),
  ]

  private static let policies = [
    ConfigurationKey(
      "app[].app_store.user_offers", .list(.text(bytes: 1...255), count: 0...1000), standard: .value("[]"),
      reload: .atOnce, example: #"user_offers = ["winter-24"]"#,
      meaning: BilingualText(
        "Promotional offers that a user may have signed; the others are for your backend alone.",
        "用户可以自行请求签名的促销优惠；其他优惠仅限后端。")),
    ConfigurationKey(
      "app[].app_store.answer_consumption_requests", .bool, standard: .value("true"), reload: .atOnce,
      example: "answer_consumption_requests = true",
      meaning: BilingualText(
        "Whether Apple is told how a purchase was used when its buyer wants a refund. It is told only of users who "
          + "consented.",
        "买家申请退款时，是否向 Apple 提供消耗信息。仅限已同意的用户。")),
    ConfigurationKey(
      "app[].app_store.refund_preference", .word(["none", "decline", "prorated"]), standard: .value(#""none""#),
      reload: .atOnce, example: #"refund_preference = "none""#,
      meaning: BilingualText("What you would rather have Apple decide about refunds.", "希望 Apple 如何处理退款申请。")),
    ConfigurationKey(
      "app[].app_store.sample_content_provided", .bool, standard: .value("false"), reload: .atOnce,
      example: "sample_content_provided = false",
      meaning: BilingualText("Whether customers can try before they buy.", "用户购买前能否试用。")),
  ]

  private static let simulator = [
    ConfigurationKey(
      "app[].app_store.host", .text(bytes: 8...255),
      standard: .depends(
        BilingualText("Apple's own in production; required in a simulated profile", "正式环境为 Apple 的域名；模拟环境中必填")),
      reload: .restart, example: #"host = "http://127.0.0.1:8081""#, isSimulatedOnly: true,
      meaning: BilingualText(
        "Where a simulator answers in place of Apple's servers. A production profile takes Apple's hosts alone.",
        "模拟器的地址，代替 Apple 的服务器。正式环境只接受 Apple 自己的域名。")),
    ConfigurationKey(
      "app[].app_store.sandbox_host", .text(bytes: 8...255),
      standard: .depends(
        BilingualText("Apple's own in production; otherwise that of host", "正式环境为 Apple 的域名；否则与 host 相同")),
      reload: .restart, example: "host = \"http://127.0.0.1:8081\"\nsandbox_host = \"http://127.0.0.1:8082\"",
      isSimulatedOnly: true,
      meaning: BilingualText("Where a simulated sandbox answers.", "模拟沙盒的地址。")),
  ]
}
