extension BrokenConfigurations {
  private static let channel = block(of: "alerts[]")

  private static func changed(_ from: String, _ to: String) -> BrokenConfiguration.Fault {
    .text([(channel, channel.replacing(from, with: to))])
  }

  private static let kind = "kind = \"webhook\""
  private static let url = "url = { file = \"alerts.url\" }"
  private static let secret = "secret = { file = \"alerts.secret\" }"

  static let alerts = [
    Entry(
      "A kind of channel that does not exist", "不存在的告警渠道类型", refusedWith: "not_one_of", at: "alerts[0].kind",
      when: changed(kind, "kind = \"slack\"")),
    Entry(
      "The address of a robot in the file itself", "机器人地址直接写在配置文件里", refusedWith: "secret_inline", at: "alerts[0].url",
      when: changed(url, "url = \"https://open.feishu.cn/open-apis/bot/v2/hook/sesame\"")),
    Entry(
      "An address of a robot without https://", "机器人地址缺少 https://", refusedWith: "malformed", at: "alerts[0].url",
      when: .file("alerts.url", Array("open.feishu.cn/open-apis/bot/v2/hook/sesame".utf8))),
    Entry(
      "The address of Feishu for a robot of DingTalk", "钉钉机器人填了飞书地址", refusedWith: "cannot_work", at: "alerts[0].url",
      when: changed(kind + "\n" + url, "kind = \"dingtalk\"\nurl = { file = \"feishu.url\" }")),
    Entry(
      "A webhook for alerts without a secret", "告警 webhook 没有密钥", refusedWith: "missing_key", at: "alerts[0].secret",
      when: changed(secret, "")),
    Entry(
      "A secret for a robot of WeCom, which has none", "企业微信机器人没有密钥，却填写了密钥", refusedWith: "contradiction",
      at: "alerts[0].secret", when: changed(kind, "kind = \"wecom\"\nmay_be_inside = true")),
    Entry(
      "A webhook for alerts in the inner network without permission", "告警 webhook 指向内网但未允许", refusedWith: "cannot_work",
      at: "alerts[0].url", when: .file("alerts.url", Array("https://10.0.0.7/sesame".utf8))),
    Entry(
      "Two channels of one name", "两个告警渠道同名", refusedWith: "contradiction", at: "alerts",
      when: .text([(channel, channel + channel)])),
  ]
  static let retention = [
    Entry(
      "Evidence that is kept for less than three years", "凭证保留不足三年", refusedWith: "out_of_range",
      at: "retention.evidence",
      when: .text([(block(of: "retention"), "[retention]\nevidence = \"30d\"\n")]))
  ]
}
