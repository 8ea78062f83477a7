import Cryptography
import PaymentPrimitives
import ServerConfiguration

/// The list behind `docs/reference/broken-configurations.md`. Each entry changes a configuration that works.
enum BrokenConfigurations {
  static let all: [BrokenConfiguration] = entries.enumerated().map { index, entry in
    BrokenConfiguration(
      number: index + 1, what: entry.what, code: entry.code, setting: entry.setting, fault: entry.fault)
  }

  struct Entry: Sendable {
    let what: BilingualText
    let code: String
    let setting: String?
    let fault: BrokenConfiguration.Fault

    init(
      _ english: String, _ chinese: String, refusedWith code: String, at setting: String? = nil,
      when fault: BrokenConfiguration.Fault
    ) {
      what = BilingualText(english, chinese)
      self.code = "configuration_" + code
      self.setting = setting
      self.fault = fault
    }

    /// - Parameter check: the check of `doctor` that fails.
    init(_ english: String, _ chinese: String, failing check: String, when fault: BrokenConfiguration.Fault) {
      what = BilingualText(english, chinese)
      code = check
      setting = nil
      self.fault = fault
    }
  }

  private static let entries =
    file + listening + apps + appStore + weChatPay + secrets + machine + stores + alerts + retention

  /// The lines of a table in the configuration that works.
  static func block(of table: String) -> String {
    ConfigurationReference.keys.first { $0.path == table }.map { $0.fragment + "\n" } ?? ""
  }

  private static let head = "profile = \"production\""

  // MARK: the file

  private static let file = [
    Entry(
      "A typing error in a key", "键名拼写错误", refusedWith: "unknown_key", at: "prot",
      when: .text([(head, head + "\nprot = 8443")])),
    Entry(
      "A text without quotes", "文本缺少引号", refusedWith: "syntax", when: .text([("id = \"shop\"", "id = shop")])),
    Entry("A key that stands twice", "同一个键出现两次", refusedWith: "syntax", when: .text([(head, head + "\n" + head)])),
    Entry(
      "A profile that does not exist", "不存在的 profile", refusedWith: "not_one_of", at: "profile",
      when: .text([(head, "profile = \"prod\"")])),
    Entry(
      "A number in quotes", "数字加了引号", refusedWith: "wrong_type", at: "app[0].app_apple_id",
      when: .text([("app_apple_id = 1234567890", "app_apple_id = \"1234567890\"")])),
    Entry(
      "A file without any app", "文件中没有任何应用", refusedWith: "missing_key", when: .whole(head + "\n")),
  ]

  // MARK: listening

  private static let listening = [
    Entry(
      "A port that does not exist", "不存在的端口", refusedWith: "out_of_range", at: "port",
      when: .text([(head, head + "\nport = 70000")])),
    Entry(
      "A host name in place of an IP address", "监听地址写成了主机名", refusedWith: "cannot_work", at: "address",
      when: .text([(head, head + "\naddress = \"pay.example.com\"")])),
    Entry(
      "All addresses of the machine without TLS", "未启用 TLS 却监听所有地址", refusedWith: "cannot_work", at: "address",
      when: .text([(head, head + "\naddress = \"0.0.0.0\""), (block(of: "tls"), "")])),
    Entry(
      "Every address counts as a trusted proxy", "信任所有地址作为代理", refusedWith: "contradiction", at: "trusted_proxies",
      when: .text([(head, head + "\ntrusted_proxies = [\"0.0.0.0/0\"]")])),
    Entry(
      "Every web page may call", "允许任意网页调用", refusedWith: "malformed", at: "web_origins",
      when: .text([(head, head + "\nweb_origins = [\"*\"]")])),
    Entry(
      "The certificate file is missing", "缺少证书文件", refusedWith: "cannot_work", at: "tls.certificate",
      when: .file("chain.pem", nil)),
    Entry(
      "Certificate and key of two different issues", "证书与私钥不是同一次签发的", refusedWith: "cannot_work", at: "tls.key",
      when: .file("key.pem", ExampleFiles.pem(ExampleFiles.appleKey))),
    Entry(
      "An expired certificate", "证书已过期", refusedWith: "cannot_work", at: "tls.certificate",
      when: .file("chain.pem", ExampleFiles.certificate(of: ExampleFiles.serverKey, in: -400 ... -10))),
    Entry(
      "A certificate of the future, or a clock that is behind", "证书尚未生效，或时钟落后", refusedWith: "cannot_work",
      at: "tls.certificate",
      when: .file("chain.pem", ExampleFiles.certificate(of: ExampleFiles.serverKey, in: 10...400))),
    Entry(
      "The certificate in place of the private key", "私钥位置填成了证书", refusedWith: "cannot_work", at: "tls.key",
      when: .file("key.pem", ExampleFiles.certificate(of: ExampleFiles.serverKey))),
    Entry(
      "A TLS key that every user of the machine can read", "本机所有用户都能读取 TLS 私钥", refusedWith: "secret_exposed",
      at: "tls.key",
      when: .exposed("key.pem")),
  ]

  // MARK: apps and products

  private static let product = block(of: "app[].product[]")
  private static func otherApp(id: String, bundleId: String) -> String {
    """
    [[app]]
    id = "\(id)"
    bundle_id = "\(bundleId)"
    app_apple_id = 2345678901
    deliver_from = 2026-01-01T00:00:00Z
    [[app.product]]
    id = "gems"
    kind = "consumable"
    app_store_product_ids = ["com.example.other.gems"]
    units = { unit = "gem", amount = 10 }

    """
  }

  private static let apps = [
    Entry(
      "Two apps with one id", "两个应用使用同一个 id", refusedWith: "contradiction", at: "app",
      when: .added(otherApp(id: "shop", bundleId: "com.example.other"))),
    Entry(
      "Two apps with one bundle id", "两个应用使用同一个 bundle id", refusedWith: "contradiction", at: "app",
      when: .added(otherApp(id: "other", bundleId: "com.example.shop"))),
    Entry(
      "The Apple ID in place of the bundle id", "bundle id 填成了 Apple ID", refusedWith: "cannot_work",
      at: "app[0].bundle_id", when: .text([("bundle_id = \"com.example.shop\"", "bundle_id = \"1234567890\"")])),
    Entry(
      "The bundle id of the template", "bundle id 仍为模板内容", refusedWith: "placeholder", at: "app[0].bundle_id",
      when: .text([("bundle_id = \"com.example.shop\"", "bundle_id = \"com.example.app\"")])),
    Entry(
      "No Apple ID", "缺少 Apple ID", refusedWith: "missing_key", at: "app[0].app_apple_id",
      when: .text([("app_apple_id = 1234567890\n", "")])),
    Entry(
      "No moment since which Counterfoil delivers", "缺少开始发货的时刻", refusedWith: "missing_key", at: "app[0].deliver_from",
      when: .text([("deliver_from = 2026-01-01T00:00:00Z\n", "")])),
    Entry(
      "A moment without its time zone", "时刻缺少时区", refusedWith: "without_offset", at: "app[0].deliver_from",
      when: .text([("2026-01-01T00:00:00Z", "2026-01-01T00:00:00")])),
    Entry(
      "Sandbox purchases for everybody, for two months", "两个月内沙盒购买对所有人可见", refusedWith: "out_of_range",
      at: "app[0].sandbox_until",
      when: .text([
        (
          "app_apple_id = 1234567890",
          "app_apple_id = 1234567890\nsandbox_purchases = \"review\"\nsandbox_until = 2026-05-01T00:00:00Z"
        )
      ])),
    Entry(
      "No product", "没有任何商品", refusedWith: "missing_key", at: "app[0].product", when: .text([(product, "")])),
    Entry(
      "A product that no store sells", "没有商店销售的商品", refusedWith: "contradiction", at: "app[0].product",
      when: .text([("app_store_product_ids = [\"com.example.shop.coins100\"]\n", "")])),
    Entry(
      "Two products with one App Store id", "两个商品使用同一个 App Store 商品 id", refusedWith: "contradiction",
      at: "app[0].product", when: .text([(product, product + product.replacing("coins.100", with: "coins.200"))])),
    Entry(
      "A subscription with a price at WeChat Pay", "自动续订商品填写了微信支付价格", refusedWith: "contradiction",
      at: "app[0].product",
      when: .text([
        ("kind = \"consumable\"", "kind = \"autoRenewable\"\nwechat_price_fen = 600"),
        ("units = { unit = \"coin\", amount = 100 }", "entitlement = \"club\""),
      ])),
    Entry(
      "Plain HTTP to a backend outside", "以明文 HTTP 访问外部后端", refusedWith: "cannot_work", at: "app[0].endpoint[0].url",
      when: .text([("https://backend.example.com", "http://backend.example.com")])),
    Entry(
      "A backend in the inner network without permission", "未经许可访问内网后端", refusedWith: "cannot_work",
      at: "app[0].endpoint[0].url", when: .text([("https://backend.example.com", "https://10.0.0.7")])),
  ]

  // MARK: the App Store

  private static let appStore = [
    Entry(
      "An RSA key in place of the In-App Purchase key", "App 内购买密钥填成了 RSA 私钥", refusedWith: "malformed",
      at: "app[0].app_store.private_key",
      when: .file("SubscriptionKey_2X9R4HXF34.p8", ExampleFiles.pem(ExampleFiles.merchantKey))),
    Entry(
      "The key id in place of the issuer id", "issuer id 填成了 key id", refusedWith: "malformed",
      at: "app[0].app_store.issuer_id",
      when: .text([("57246542-96fe-1a63-e053-0824d011072a", "2X9R4HXF34")])),
    Entry(
      "A simulator's address in production", "正式环境填写了模拟器地址", refusedWith: "contradiction", at: "app[0].app_store.host",
      when: .text([("[app.app_store]\n", "[app.app_store]\nhost = \"http://127.0.0.1:8081\"\n")])),
    Entry(
      "A root of its own beside Apple's, in production", "正式环境信任了自备的根证书", refusedWith: "contradiction",
      at: "trusted_roots",
      when: .text([(head, head + "\ntrusted_roots = [\"simulator-root.pem\"]")])),
    Entry(
      "A shared secret that nothing uses", "共享密钥没有任何用途", refusedWith: "contradiction",
      at: "app[0].app_store.shared_secret",
      when: .text([("[app.app_store]\n", "[app.app_store]\nshared_secret = { file = \"shared.secret\" }\n")])),
  ]

  // MARK: WeChat Pay

  private static let weChatPay = [
    Entry(
      "The app id in place of the merchant number", "商户号填成了 appid", refusedWith: "malformed",
      at: "app[0].wechat_pay.mchid", when: .text([("mchid = \"1900000001\"", "mchid = \"wx0000000000000001\"")])),
    Entry(
      "The merchant number in place of the app id", "appid 填成了商户号", refusedWith: "cannot_work",
      at: "app[0].wechat_pay.appid", when: .text([("appid = \"wx0000000000000001\"", "appid = \"1900000001\"")])),
    Entry(
      "An APIv3 key of 31 bytes", "APIv3 密钥只有 31 字节", refusedWith: "malformed", at: "app[0].wechat_pay.api_v3_keys",
      when: .file("api-v3.key", Array(repeating: 0x61, count: 31))),
    Entry(
      "Apple's key in place of the merchant's", "商户私钥填成了 Apple 的密钥", refusedWith: "malformed",
      at: "app[0].wechat_pay.private_key", when: .file("apiclient_key.pem", ExampleFiles.pem(ExampleFiles.appleKey))),
    Entry(
      "The certificate of another merchant key", "证书属于另一把商户私钥", refusedWith: "malformed",
      at: "app[0].wechat_pay.certificate_file",
      when: .text([
        (
          "certificate_serial = \"5157F09EFDC096DE15EBE81A47057A7200000001\"",
          "certificate_file = \"apiclient_cert_former.pem\""
        )
      ])),
    Entry(
      "The merchant's own public key in place of WeChat Pay's", "微信支付公钥填成了商户自己的公钥", refusedWith: "contradiction",
      at: "app[0].wechat_pay.public_key[0].file",
      when: .file("wechat-pay-public.pem", ExampleFiles.pem("PUBLIC KEY", ExampleFiles.merchantKey.publicKey.spki))),
    Entry(
      "An address for notifications without TLS", "通知地址未使用 HTTPS", refusedWith: "malformed",
      at: "app[0].wechat_pay.notify_origin", when: .text([("https://pay.example.com", "http://pay.example.com")])),
    Entry(
      "A simulator's host in production", "正式环境填写了微信支付模拟器", refusedWith: "contradiction", at: "app[0].wechat_pay.hosts",
      when: .text([("[app.wechat_pay]\n", "[app.wechat_pay]\nhosts = [\"http://127.0.0.1:8081\"]\n")])),
  ]
}
