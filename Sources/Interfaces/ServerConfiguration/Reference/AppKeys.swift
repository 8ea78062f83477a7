import CounterfoilAPI
import PaymentPrimitives
import TOMLConfiguration

/// The keys of `[[app]]`, of its endpoints and of its keys for user tokens.
enum AppKeys {
  static let all = app + policies + userTokenKeys + endpoints + forwarding + credits

  private static let app = [
    ConfigurationKey(
      "app[]", .tables, standard: .required, reload: .restart,
      example: """
        id = "shop"
        bundle_id = "com.example.shop"
        app_apple_id = 1234567890
        deliver_from = 2026-01-01T00:00:00Z
        """,
      meaning: BilingualText(
        "One app. A server serves any number of apps; each keeps its own products, users and balances.",
        "一个应用。一台服务器可服务任意多个应用，各自的商品、用户与余额互不相干。")),
    ConfigurationKey(
      "app[].id", .text(bytes: 1...64), standard: .required, reload: .restart, example: #"id = "shop""#,
      meaning: BilingualText(
        "Our name of the app, in every answer and delivery. Never change it: orders and payments are kept under it.",
        "应用在本系统中的名称，出现在每个应答与发货通知中。切勿更改：订单与付款都记在这个名称下。")),
    ConfigurationKey(
      "app[].bundle_id", .text(bytes: 1...255), reload: .restart, example: #"bundle_id = "com.example.shop""#,
      meaning: BilingualText(
        "The app's bundle id at Apple. Without it the app sells nothing through the App Store.",
        "应用在 Apple 的 bundle id。不填写则不通过 App Store 销售。")),
    ConfigurationKey(
      "app[].app_apple_id", .integer(1 ... .max),
      standard: .depends(BilingualText("required in production with bundle_id", "正式环境中填写了 bundle_id 时必填")),
      reload: .restart, example: "app_apple_id = 1234567890",
      meaning: BilingualText(
        "The app's Apple ID, a number: App Store Connect, App Information.",
        "应用的 Apple ID（数字）：见 App Store Connect 的“App 信息”。")),
    ConfigurationKey(
      "app[].team_id", .text(bytes: 10...10),
      standard: .depends(BilingualText("none; universal_link_paths needs it", "无；universal_link_paths 需要它")),
      reload: .atOnce, example: "team_id = \"ABCDE12345\"\nuniversal_link_paths = [\"/app/*\"]",
      meaning: BilingualText(
        "The team's id at Apple, ten letters and digits: App Store Connect, Membership.",
        "团队在 Apple 的 Team ID，十位字母数字：见开发者账户的“会员资格”。")),
    ConfigurationKey(
      "app[].universal_link_paths", .list(.text(bytes: 1...255), count: 1...100),
      standard: .depends(BilingualText("none; team_id needs it", "无；team_id 需要它")), reload: .atOnce,
      example: "team_id = \"ABCDE12345\"\nuniversal_link_paths = [\"/app/*\"]",
      meaning: BilingualText(
        "Paths of this server that open the app on an Apple device. The server answers them at "
          + "/.well-known/apple-app-site-association. WeChat returns by such a link.",
        "在 Apple 设备上打开该应用的路径；服务器在 /.well-known/apple-app-site-association 中给出。微信支付后即由此链接返回应用。")),
    ConfigurationKey(
      "app[].mode", .word(["deliver", "observe"]), standard: .value(#""deliver""#), reload: .restart,
      example: #"mode = "observe""#,
      meaning: BilingualText(
        "observe only watches beside an earlier system: it verifies everything and grants nothing.",
        "observe 仅在旧系统旁观察：核验一切，但不入账。")),
    ConfigurationKey(
      "app[].deliver_from", .moment,
      standard: .depends(
        BilingualText("required in production with mode = \"deliver\"", "正式环境中 mode = \"deliver\" 时必填")),
      reload: .restart, example: "deliver_from = 2026-01-01T00:00:00Z",
      meaning: BilingualText(
        "Counterfoil delivers what was bought from this moment on. What was bought before, an earlier system has "
          + "delivered.",
        "自此刻起的购买由 Counterfoil 发货；此前的购买已由旧系统发货。")),
    ConfigurationKey(
      "app[].retired", .bool, standard: .value("false"), reload: .atOnce, example: "retired = true",
      meaning: BilingualText(
        "Whether the app sells nothing any more. Renewals, refunds and deliveries of earlier purchases continue.",
        "应用是否已停止销售。此前购买的续订、退款与发货照常进行。")),
  ]

  private static let policies = [
    ConfigurationKey(
      "app[].claims", .word(["standard", "strict"]), standard: .value(#""standard""#), reload: .atOnce,
      example: #"claims = "strict""#,
      meaning: BilingualText(
        "How a user may claim a purchase that was made without an order. strict demands a proof of the device.",
        "用户如何认领没有订单的购买。strict 要求提供设备证明。")),
    ConfigurationKey(
      "app[].claims_per_day", .integer(0...1000), standard: .value("5"), reload: .atOnce,
      example: "claims_per_day = 5", unit: BilingualText("claims of one user in a day", "每个用户每天的认领次数"),
      meaning: BilingualText(
        "How many purchases without an order one user may claim in a day.", "每个用户每天最多可认领多少笔没有订单的购买。")),
    ConfigurationKey(
      "app[].token_meaning", .word(["order", "user"]), standard: .value(#""order""#), reload: .atOnce,
      example: #"token_meaning = "user""#,
      meaning: BilingualText(
        "What an appAccountToken means that names no order of ours. user: the app has put its users' UUIDs there.",
        "未对应本系统订单的 appAccountToken 的含义。user：应用一直把用户的 UUID 写入其中。")),
    ConfigurationKey(
      "app[].sandbox_purchases", .word(["separate", "testers", "review", "refuse"]), standard: .value(#""separate""#),
      reload: .atOnce, example: #"sandbox_purchases = "separate""#,
      meaning: BilingualText(
        "Which users see purchases of Apple's sandbox in a production app: none (separate), named testers, all until "
          + "a moment (review), or they are refused. They never mix with real money.",
        "正式应用中沙盒购买对谁可见：都不可见（separate）、指定的测试用户（testers）、在某时刻前所有人（review），或一律拒绝（refuse）。沙盒购买从不与真实资金混合。")),
    ConfigurationKey(
      "app[].sandbox_testers", .list(.text(bytes: 1...255), count: 1...10_000),
      standard: .depends(
        BilingualText("required with sandbox_purchases = \"testers\"", "sandbox_purchases = \"testers\" 时必填")),
      reload: .atOnce, example: "sandbox_purchases = \"testers\"\nsandbox_testers = [\"user-1\", \"user-2\"]",
      meaning: BilingualText("The user ids that see sandbox purchases.", "可以看到沙盒购买的用户 id。")),
    ConfigurationKey(
      "app[].sandbox_until", .moment,
      standard: .depends(
        BilingualText("required with sandbox_purchases = \"review\"", "sandbox_purchases = \"review\" 时必填")),
      reload: .atOnce, example: "sandbox_purchases = \"review\"\nsandbox_until = 2026-03-20T00:00:00Z",
      meaning: BilingualText(
        "Until when all users see sandbox purchases; at most 30 days ahead.", "在此之前沙盒购买对所有人可见；最多提前 30 天。")),
    ConfigurationKey(
      "app[].finish_when", .word(["granted", "kept"]), standard: .value(#""granted""#), reload: .atOnce,
      example: #"finish_when = "granted""#,
      meaning: BilingualText(
        "When a phone may finish a transaction: once it is granted, or already once its evidence is kept.",
        "客户端何时可以结束交易：入账之后（granted），或凭证保存之后（kept）。")),
    ConfigurationKey(
      "app[].restore", .word(["keepOwner", "transfer", "share"]), standard: .value(#""keepOwner""#), reload: .atOnce,
      example: #"restore = "keepOwner""#,
      meaning: BilingualText(
        "What a second user of one Apple account gets: nothing, the right itself (once a day), or a share of it.",
        "同一 Apple 账户的另一用户恢复购买时：不变（keepOwner）、转移权益（transfer，每天一次）或共享权益（share）。")),
    ConfigurationKey(
      "app[].reference_from_app", .bool, standard: .value("false"), reload: .atOnce,
      example: "reference_from_app = true",
      meaning: BilingualText(
        "Whether the app itself, and not only your backend, may set the reference of an order.",
        "除后端外，应用自身是否也可以设置订单的 reference。")),
    ConfigurationKey(
      "app[].events", .bool, standard: .value("false"), reload: .atOnce, example: "events = true",
      meaning: BilingualText(
        "Whether GET /v1/events also has events with prices. They are made anyway while an endpoint names types.",
        "GET /v1/events 是否也给出带价格的事件。只要有接收地址填写了 types，就总会生成。")),
    ConfigurationKey(
      "app[].commission_percent", .integer(0...100),
      standard: .depends(BilingualText("none: reports state no net amount of the App Store", "无：报表不给出 App Store 的净额")),
      reload: .atOnce, example: "commission_percent = 15", unit: BilingualText("percent", "百分比"),
      meaning: BilingualText(
        "Apple's part of each sale. Reports estimate the net amount with it.",
        "Apple 从每笔销售中收取的比例。报表用它估算净额。")),
  ]

  private static let userTokenKeys = [
    ConfigurationKey(
      "app[].user_token_key[]", .tables, reload: .atOnce,
      example: """
        kid = "shop-1"
        algorithm = "HS256"
        secret = { file = "user-token.secret" }
        """,
      meaning: BilingualText(
        "A key with which your backend signs user tokens. To rotate it: add the new key, reload, let your backend use "
          + "it, remove the old one.",
        "后端签发用户令牌所用的密钥。轮换方法：加入新密钥，重新加载，让后端改用新密钥，再删除旧密钥。")),
    ConfigurationKey(
      "app[].user_token_key[].kid", .text(bytes: 1...255), standard: .required, reload: .atOnce,
      example: #"kid = "shop-1""#,
      meaning: BilingualText(
        "The name of the key in the header of a token; unique over all apps.", "令牌头部中的密钥名称；在所有应用中唯一。")),
    ConfigurationKey(
      "app[].user_token_key[].algorithm", .word(["HS256", "ES256"]), standard: .required, reload: .atOnce,
      example: #"algorithm = "HS256""#,
      meaning: BilingualText(
        "The signature of the tokens: HS256 with a shared secret, or ES256 with a key pair (RFC 7518).",
        "令牌的签名算法：HS256 使用共享密钥，ES256 使用密钥对（RFC 7518）。")),
    ConfigurationKey(
      "app[].user_token_key[].secret", .secret,
      standard: .depends(BilingualText("required with algorithm = \"HS256\"", "algorithm = \"HS256\" 时必填")),
      reload: .atOnce, example: #"secret = { file = "user-token.secret" }"#,
      meaning: BilingualText("The shared secret for HS256, at least 32 bytes.", "HS256 的共享密钥，至少 32 字节。")),
    ConfigurationKey(
      "app[].user_token_key[].public_key_file", .text(bytes: 1...4096),
      standard: .depends(BilingualText("required with algorithm = \"ES256\"", "algorithm = \"ES256\" 时必填")),
      reload: .atOnce, example: "algorithm = \"ES256\"\npublic_key_file = \"user-token-public.pem\"",
      meaning: BilingualText("PEM file of the public key for ES256, on P-256.", "ES256 公钥的 PEM 文件，曲线为 P-256。")),
  ]

  private static let endpoints = [
    ConfigurationKey(
      "app[].endpoint[]", .tables, reload: .restart,
      example: """
        name = "backend"
        url = "https://backend.example.com/counterfoil"
        secrets = [{ file = "webhook.secret" }]
        """,
      meaning: BilingualText(
        "Where deliveries go. Leave it out if your backend pulls them. At most one for each environment.",
        "发货通知发往何处。若后端主动拉取，则不必填写。每个环境最多一个。")),
    ConfigurationKey(
      "app[].endpoint[].name", .text(bytes: 1...64), standard: .required, reload: .restart,
      example: #"name = "backend""#,
      meaning: BilingualText("Our name of the endpoint, in logs and metrics.", "接收地址在日志与指标中的名称。")),
    ConfigurationKey(
      "app[].endpoint[].url", .text(bytes: 8...2048), standard: .required, reload: .atOnce,
      example: #"url = "https://backend.example.com/counterfoil""#,
      meaning: BilingualText(
        "The URL that takes deliveries; https outside this machine and its inner network.",
        "接收发货通知的 URL；本机与内网以外必须使用 https。")),
    ConfigurationKey(
      "app[].endpoint[].environments",
      .list(
        .word(["production", "sandbox", "simulated", "xcode", "localTesting", "undetermined"]), count: 0...1000),
      standard: .depends(
        BilingualText(
          "[\"production\"] in production, otherwise [\"simulated\"]", "正式环境为 [\"production\"]，否则为 [\"simulated\"]")),
      reload: .restart, example: #"environments = ["production"]"#,
      meaning: BilingualText(
        "The environments of the purchases whose deliveries go there.", "哪些环境的购买通知发往此处。")),
    ConfigurationKey(
      "app[].endpoint[].secrets", .list(.secret, count: 0...1000), standard: .required, reload: .atOnce,
      example: #"secrets = [{ file = "webhook.secret" }]"#,
      meaning: BilingualText(
        "The secrets that sign deliveries (Standard Webhooks), the newest first: whsec_ and base64 of 24 to 64 bytes. "
          + "Each delivery carries a signature with every one of them, so a secret is rotated without a lost call.",
        "用于签署发货通知的密钥（Standard Webhooks），最新的在前：whsec_ 加上 24 至 64 字节的 base64。每个通知都带有全部密钥的签名，因此轮换密钥不会丢失任何通知。")),
    ConfigurationKey(
      "app[].endpoint[].types", .list(.word(EventType.allCases.map(\.rawValue)), count: 0...1000),
      standard: .value("[]"), reload: .restart,
      example: #"types = ["subscription.renewed", "subscription.expired", "purchase.refunded"]"#,
      meaning: BilingualText(
        "The events that go there beside the deliveries of grants. Those from before an endpoint named any are in the "
          + "feed.", "除发货通知外，还向此处发送哪些事件。接收地址首次填写之前的事件，可在事件流中读取。")),
    ConfigurationKey(
      "app[].endpoint[].may_be_inside", .bool, standard: .value("false"), reload: .atOnce,
      example: "may_be_inside = true",
      meaning: BilingualText(
        "Whether the URL may lead into the inner network. Otherwise such an address is refused.",
        "该 URL 是否可以指向内网。否则拒绝内网地址。")),
  ]

  private static let credits = [
    ConfigurationKey(
      "app[].credit[]", .tables, reload: .atOnce,
      example: """
        unit = "coin"
        per_user_and_day = 500
        """,
      meaning: BilingualText(
        "What your backend may give users without a payment, with a key that was made with --may-credit. Over "
          + "PostgreSQL, begin once all servers are of this version.",
        "后端可在没有付款的情况下赠送的单位，需使用以 --may-credit 创建的密钥。使用 PostgreSQL 时，请在所有服务器升级到此版本后启用。")),
    ConfigurationKey(
      "app[].credit[].unit", .text(bytes: 1...64), standard: .required, reload: .atOnce, example: #"unit = "coin""#,
      meaning: BilingualText("The unit of the balance.", "余额的单位。")),
    ConfigurationKey(
      "app[].credit[].per_user_and_day", .integer(1...Int64(ContractLimits.debitMax)), standard: .required,
      reload: .atOnce, example: "per_user_and_day = 500",
      meaning: BilingualText("Units at most for one user in one day (UTC).", "每位用户每日（UTC）最多可获赠的数量。")),
  ]

  private static let forwarding = [
    ConfigurationKey(
      "app[].forward_notifications_to", .table, reload: .restart,
      example: #"url = "https://earlier.example.com/app-store-notifications""#,
      meaning: BilingualText(
        "While you move here: every verified App Store notification goes on to your earlier system, as it came.",
        "迁移期间：每条通过核验的 App Store 通知都会原样转发给旧系统。")),
    ConfigurationKey(
      "app[].forward_notifications_to.url", .text(bytes: 8...2048), standard: .required, reload: .restart,
      example: #"url = "https://earlier.example.com/app-store-notifications""#,
      meaning: BilingualText("The URL of the earlier system.", "旧系统的 URL。")),
    ConfigurationKey(
      "app[].forward_notifications_to.may_be_inside", .bool, standard: .value("false"), reload: .restart,
      example: "may_be_inside = false",
      meaning: BilingualText("Whether that URL may lead into the inner network.", "该 URL 是否可以指向内网。")),
  ]
}
