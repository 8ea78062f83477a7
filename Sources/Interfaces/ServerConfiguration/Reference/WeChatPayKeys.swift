import PaymentPrimitives
import TOMLConfiguration

/// The keys of `[app.wechat_pay]`.
enum WeChatPayKeys {
  static let all = merchant + formerKeys + platform + cashiers + rest

  private static let certificateStandard = ConfigurationKey.Standard.depends(
    BilingualText("certificate_file or certificate_serial, one of the two", "certificate_file 与 certificate_serial 二选一")
  )

  private static let merchant = [
    ConfigurationKey(
      "app[].wechat_pay", .table, reload: .restart,
      example: """
        mchid = "1900000001"
        private_key = { file = "apiclient_key.pem" }
        certificate_serial = "5157F09EFDC096DE15EBE81A47057A7200000001"
        api_v3_keys = [{ file = "api-v3.key" }]
        appid = "wx0000000000000001"
        notify_origin = "https://pay.example.com"
        """,
      meaning: BilingualText(
        "The access to WeChat Pay, for apps that sell on Android, on the web or in mini programs.",
        "对微信支付的访问，用于在 Android、网页或小程序中销售的应用。")),
    ConfigurationKey(
      "app[].wechat_pay.mchid", .text(bytes: 1...32), standard: .required, reload: .restart,
      example: #"mchid = "1900000001""#,
      meaning: BilingualText("The merchant number, digits only.", "商户号，仅含数字。")),
    ConfigurationKey(
      "app[].wechat_pay.private_key", .secret, standard: .required, reload: .atOnce,
      example: #"private_key = { file = "apiclient_key.pem" }"#,
      meaning: BilingualText(
        "The merchant's private key, apiclient_key.pem. To rotate it: put the old key and its certificate into "
          + "former_key, the new pair here, and reload.",
        "商户私钥 apiclient_key.pem。轮换方法：把旧私钥及其证书移入 former_key，在此填写新的一对，然后重新加载。")),
    ConfigurationKey(
      "app[].wechat_pay.certificate_file", .text(bytes: 1...4096), standard: certificateStandard, reload: .atOnce,
      example: #"certificate_file = "apiclient_cert.pem""#,
      meaning: BilingualText(
        "The merchant's certificate, apiclient_cert.pem, which has the serial number. It must belong to private_key.",
        "商户证书 apiclient_cert.pem，其中含有序列号。必须与 private_key 匹配。")),
    ConfigurationKey(
      "app[].wechat_pay.certificate_serial", .text(bytes: 1...64), standard: certificateStandard, reload: .atOnce,
      example: #"certificate_serial = "5157F09EFDC096DE15EBE81A47057A7200000001""#,
      meaning: BilingualText(
        "The serial number of the merchant's certificate, as the merchant platform shows it.", "商户证书的序列号，见商户平台。")),
    ConfigurationKey(
      "app[].wechat_pay.api_v3_keys", .list(.secret, count: 0...1000), standard: .required, reload: .atOnce,
      example: #"api_v3_keys = [{ file = "api-v3.key" }]"#,
      meaning: BilingualText(
        "The APIv3 keys, 32 bytes each, the newest first. During a change keep the one before it: what WeChat Pay has "
          + "encrypted with it can still be read.",
        "APIv3 密钥，每个 32 字节，最新的在前。更换期间请保留前一个：微信支付用它加密的内容仍可解密。")),
  ]

  private static let formerKeys = [
    ConfigurationKey(
      "app[].wechat_pay.former_key[]", .tables, reload: .atOnce,
      example: """
        certificate_serial = "5157F09EFDC096DE15EBE81A47057A7200000000"
        private_key = { file = "apiclient_key_former.pem" }
        """,
      meaning: BilingualText(
        "An earlier key of the merchant with its certificate, the newest first; at most 4. It signs when WeChat Pay "
          + "does not accept the newer one, so that a key is rotated without a lost call.",
        "商户的旧私钥及其证书，最新的在前，最多 4 个。微信支付不接受新私钥时改用旧私钥签名，因此轮换时不会丢失任何调用。")),
    ConfigurationKey(
      "app[].wechat_pay.former_key[].private_key", .secret, standard: .required, reload: .atOnce,
      example: #"private_key = { file = "apiclient_key_former.pem" }"#,
      meaning: BilingualText("The earlier private key.", "旧的商户私钥。")),
    ConfigurationKey(
      "app[].wechat_pay.former_key[].certificate_file", .text(bytes: 1...4096), standard: certificateStandard,
      reload: .atOnce, example: #"certificate_file = "apiclient_cert_former.pem""#,
      meaning: BilingualText("The certificate of the earlier key.", "旧私钥的证书文件。")),
    ConfigurationKey(
      "app[].wechat_pay.former_key[].certificate_serial", .text(bytes: 1...64), standard: certificateStandard,
      reload: .atOnce, example: #"certificate_serial = "5157F09EFDC096DE15EBE81A47057A7200000000""#,
      meaning: BilingualText("The serial number of the certificate of the earlier key.", "旧私钥证书的序列号。")),
  ]

  private static let platform = [
    ConfigurationKey(
      "app[].wechat_pay.public_key[]", .tables,
      standard: .depends(
        BilingualText("leave it out if the merchant uses platform certificates", "使用平台证书的商户不必填写")),
      reload: .atOnce,
      example: """
        id = "PUB_KEY_ID_0000000000000000000000000001"
        file = "wechat-pay-public.pem"
        """,
      meaning: BilingualText(
        "A public key of WeChat Pay, which verifies its answers and notifications.", "微信支付公钥，用于验证其应答与通知。")),
    ConfigurationKey(
      "app[].wechat_pay.public_key[].id", .text(bytes: 1...64), standard: .required, reload: .atOnce,
      example: #"id = "PUB_KEY_ID_0000000000000000000000000001""#,
      meaning: BilingualText(
        "Its id, PUB_KEY_ID_ and digits, as the merchant platform shows it.", "公钥 ID：PUB_KEY_ID_ 加数字，见商户平台。")),
    ConfigurationKey(
      "app[].wechat_pay.public_key[].file", .text(bytes: 1...4096), standard: .required, reload: .atOnce,
      example: #"file = "wechat-pay-public.pem""#,
      meaning: BilingualText(
        "PEM file of the key, pub_key.pem of the merchant platform.", "公钥的 PEM 文件，即商户平台的 pub_key.pem。")),
    ConfigurationKey(
      "app[].wechat_pay.platform_certificates", .word(["download", "none"]),
      standard: .depends(
        BilingualText("none with a public_key, otherwise download", "有 public_key 时为 none，否则为 download")),
      reload: .atOnce, example: #"platform_certificates = "download""#,
      meaning: BilingualText(
        "Whether WeChat Pay's certificates are downloaded. A merchant that moves to the public key needs both.",
        "是否下载微信支付平台证书。正在切换到微信支付公钥的商户需要两者并用。")),
  ]

  private static let cashiers = [
    ConfigurationKey(
      "app[].wechat_pay.appid", .text(bytes: 1...32),
      standard: .depends(BilingualText("appid or appids is needed", "appid 与 appids 至少填写一项")), reload: .restart,
      example: #"appid = "wx0000000000000001""#,
      meaning: BilingualText(
        "WeChat's id of your app, for payments in the app, on mobile web pages (H5) and by QR code (native).",
        "应用的微信 appid，用于 App 支付、H5 支付与 Native 支付。")),
    ConfigurationKey(
      "app[].wechat_pay.appids", .table, reload: .restart, example: #"jsapi = "wx0000000000000002""#,
      meaning: BilingualText(
        "WeChat's ids where they differ. Short form: appids = { jsapi = \"wx0000000000000002\" }.",
        "各支付方式的 appid 不同时使用。简写：appids = { jsapi = \"wx0000000000000002\" }。")),
    cashier("app", BilingualText("The id for payments in the app.", "App 支付的 appid。")),
    cashier("jsapi", BilingualText("The id of a mini program or an official account.", "小程序或公众号的 appid。")),
    cashier("h5", BilingualText("The id for payments on mobile web pages.", "H5 支付的 appid。")),
    cashier("native", BilingualText("The id for payments by QR code.", "Native 支付的 appid。")),
  ]

  private static func cashier(_ name: String, _ meaning: BilingualText) -> ConfigurationKey {
    ConfigurationKey(
      "app[].wechat_pay.appids.\(name)", .text(bytes: 1...32),
      standard: name == "jsapi" ? .none : .depends(BilingualText("that of appid", "与 appid 相同")), reload: .restart,
      example: "\(name) = \"wx0000000000000002\"", meaning: meaning)
  }

  private static let rest = [
    ConfigurationKey(
      "app[].wechat_pay.notify_origin", .text(bytes: 8...200), standard: .required, reload: .atOnce,
      example: #"notify_origin = "https://pay.example.com""#,
      meaning: BilingualText(
        "How WeChat Pay reaches this server: https:// and a host, without a path.", "微信支付访问本服务器的地址：https:// 加主机名，不带路径。")
    ),
    ConfigurationKey(
      "app[].wechat_pay.order_lifetime", .duration(.minutes(2) ... .days(7)), standard: .value(#""2h""#),
      reload: .atOnce, example: #"order_lifetime = "2h""#,
      meaning: BilingualText("How long an order can be paid.", "订单可付款的时长。")),
    ConfigurationKey(
      "app[].wechat_pay.virtual_goods_on_ios", .bool, standard: .value("false"), reload: .atOnce,
      example: "virtual_goods_on_ios = false",
      meaning: BilingualText(
        "Whether virtual goods may be sold on iOS through WeChat Pay. Apple's rules forbid it almost everywhere.",
        "是否允许在 iOS 上通过微信支付销售虚拟商品。Apple 的规则几乎在所有地区都禁止。")),
    ConfigurationKey(
      "app[].wechat_pay.hosts", .list(.text(bytes: 8...255), count: 0...1000),
      standard: .depends(
        BilingualText("WeChat Pay's own in production; required in a simulated profile", "正式环境为微信支付的域名；模拟环境中必填")),
      reload: .restart, example: #"hosts = ["http://127.0.0.1:8081"]"#, isSimulatedOnly: true,
      meaning: BilingualText(
        "Where a simulator answers in place of WeChat Pay. A production profile takes WeChat Pay's hosts alone.",
        "模拟器的地址，代替微信支付。正式环境只接受微信支付自己的域名。")),
  ]
}
