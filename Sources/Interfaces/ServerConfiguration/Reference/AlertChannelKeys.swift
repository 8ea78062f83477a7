import PaymentPrimitives
import TOMLConfiguration

/// The keys of `[[alerts]]`.
enum AlertChannelKeys {
  static let all = [
    ConfigurationKey(
      "alerts[]", .tables, reload: .atOnce,
      example: """
        name = "on-call"
        kind = "webhook"
        url = { file = "alerts.url" }
        secret = { file = "alerts.secret" }
        """,
      meaning: BilingualText(
        "A channel to which the server itself sends alerts, for teams without Prometheus. Without any it sends none.",
        "服务器直接发送告警的渠道，供没有 Prometheus 的团队使用。不填写则不发送。")),
    ConfigurationKey(
      "alerts[].name", .text(bytes: 1...64), standard: .required, reload: .atOnce, example: #"name = "on-call""#,
      meaning: BilingualText(
        "Our name of the channel, in logs and metrics and for `counterfoil alerts test`.",
        "渠道在日志、指标以及 `counterfoil alerts test` 中的名称。")),
    ConfigurationKey(
      "alerts[].kind", .word(["webhook", "feishu", "dingtalk", "wecom"]), standard: .required, reload: .atOnce,
      example: #"kind = "webhook""#,
      meaning: BilingualText(
        "What takes the messages: a webhook signed as deliveries are, a custom bot of Feishu, a custom robot of "
          + "DingTalk, or a group robot of WeCom.",
        "由谁接收：与发货通知签名方式相同的 webhook、飞书自定义机器人、钉钉自定义机器人，或企业微信群机器人。")),
    ConfigurationKey(
      "alerts[].url", .secret, standard: .required, reload: .atOnce, example: #"url = { file = "alerts.url" }"#,
      meaning: BilingualText(
        "The place of the address. The address of a robot contains its key, so it is kept like a secret.",
        "地址的存放位置。机器人地址中含有密钥，因此按密钥保管。")),
    ConfigurationKey(
      "alerts[].secret", .secret, reload: .atOnce, example: #"secret = { file = "alerts.secret" }"#,
      meaning: BilingualText(
        "The place of the secret that signs the messages. A webhook needs one in the form of an endpoint's; Feishu and "
          + "DingTalk have one if the robot was set up with signing; WeCom has none.",
        "消息签名密钥的存放位置。webhook 必填，格式与接收地址的密钥相同；飞书与钉钉在机器人启用签名校验时填写；企业微信没有。")),
    ConfigurationKey(
      "alerts[].language", .word(["en", "zh-CN"]), standard: .value(#""en""#), reload: .atOnce,
      example: #"language = "zh-CN""#,
      meaning: BilingualText("The language of the messages.", "消息的语言。")),
    ConfigurationKey(
      "alerts[].severity", .word(["ticket", "page"]), standard: .value(#""ticket""#), reload: .atOnce,
      example: #"severity = "page""#,
      meaning: BilingualText(
        "The least severity that is sent: page alone, or tickets too.", "发送的最低级别：仅 page，或连同 ticket。")),
    ConfigurationKey(
      "alerts[].remind_every", .duration(.minutes(15) ... .days(7)), standard: .value(#""4h""#), reload: .atOnce,
      example: #"remind_every = "4h""#,
      meaning: BilingualText(
        "The time between two messages while an alert goes on.", "告警持续期间两次提醒的间隔。")),
    ConfigurationKey(
      "alerts[].after", .duration(.seconds(1) ... .days(1)),
      standard: .depends(BilingualText("as each rule says, at most 15 minutes", "由各规则决定，最多 15 分钟")), reload: .atOnce,
      example: #"after = "2m""#,
      meaning: BilingualText(
        "How long a condition must hold before it is sent. A payment that waits for a person is told after a day "
          + "anyway.",
        "条件持续多久之后才发送。等待人工处理的支付仍在一天之后发送。")),
    ConfigurationKey(
      "alerts[].runbooks", .text(bytes: 8...1024), reload: .atOnce,
      example: #"runbooks = "https://wiki.example.com/counterfoil/alerts""#,
      meaning: BilingualText(
        "The address of your copy of the page of alerts, to which each message links. Without it a message names the "
          + "manual's page.",
        "告警手册页面的地址，每条消息都会链接到它。不填写时消息只写出手册页面名。")),
    ConfigurationKey(
      "alerts[].may_be_inside", .bool, standard: .value("false"), reload: .atOnce, example: "may_be_inside = true",
      meaning: BilingualText(
        "Whether the address may lead into the inner network. Otherwise such an address is refused.",
        "该地址是否可以指向内网。否则拒绝内网地址。")),
  ]
}
