import CounterfoilCLI
import Cryptography
import Foundation
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import Testing

@Suite struct `The command config` {
  private static let merchantKey = RSAPrivateKey(randomBytes: Array("a merchant key made for tests: config".utf8))
  private static let platformKey = RSAPrivateKey(randomBytes: Array("a platform key made for tests: config".utf8))
  private static let elliptic = ECDSAPrivateKey(curve: .p256, randomBytes: Array(repeating: 9, count: 48))

  private static let weChatPay = """
    [app.wechat_pay]
    mchid = "1900000001"
    private_key = { file = "merchant.pem" }
    certificate_serial = "5157F09EFDC096DE15EBE81A47057A7200000001"
    api_v3_keys = [{ environment = "API_V3_KEY" }, { file = "former.key" }]
    appid = "wx0000000000000001"
    notify_origin = "https://pay.example.com"
    [[app.wechat_pay.public_key]]
    id = "PUB_KEY_ID_0000000000000000000000000001"
    file = "platform.pem"

    """
  private static let head = """
    profile = "production"
    [[app]]
    id = "shop"
    deliver_from = 2026-01-01T00:00:00Z
    [[app.product]]
    id = "coins.100"
    kind = "consumable"
    units = { unit = "coin", amount = 100 }
    wechat_price_fen = 600
    wechat_description = "100 金币"

    """

  private static let files: [String: [UInt8]] = [
    "merchant.pem": pem("PRIVATE KEY", merchantKey.pkcs8.withBytes { Array($0) }),
    "platform.pem": pem("PUBLIC KEY", platformKey.publicKey.spki),
    "merchant-public.pem": pem("PUBLIC KEY", merchantKey.publicKey.spki),
    "elliptic.pem": pem("PRIVATE KEY", elliptic.pkcs8.withBytes { Array($0) }),
    "former.key": Array("an older APIv3 key for tests 32 b".utf8.prefix(32)),
  ]

  private static func pem(_ label: String, _ der: [UInt8]) -> [UInt8] { Array(PEM.text(label: label, bytes: der).utf8) }

  private func run(
    _ toml: String, variables: [String: String] = ["API_V3_KEY": "an APIv3 key made for tests 32 b"]
  ) async -> ConfigCommandRun.Answer {
    await ConfigCommandRun.run(toml, files: Self.files, variables: variables)
  }

  /// A change to the good configuration, and what the refusal must say.
  private struct Wrong: Sendable, CustomTestStringConvertible {
    let what: String
    let from: String
    let to: String
    let says: String
    var testDescription: String { what }
  }

  private static let wrong = [
    Wrong(
      what: "no APIv3 key of 32 bytes", from: "{ file = \"former.key\" }", to: "{ environment = \"SHORT\" }",
      says: "32 bytes"),
    Wrong(
      what: "an elliptic key for the merchant's", from: "merchant.pem", to: "elliptic.pem", says: "apiclient_key.pem"),
    Wrong(
      what: "the merchant's key for the platform's", from: "platform.pem", to: "merchant-public.pem",
      says: "merchant's own"),
    Wrong(
      what: "the private key in the file itself", from: "{ file = \"merchant.pem\" }", to: "\"-----BEGIN\"",
      says: "private_key"),
    Wrong(what: "no id of a public key", from: "PUB_KEY_ID_0", to: "5157F0", says: "PUB_KEY_ID_"),
    Wrong(what: "no merchant number", from: "\"1900000001\"", to: "\"19x\"", says: "mchid"),
    Wrong(what: "an address without TLS", from: "https://pay", to: "http://pay", says: "notify_origin"),
    Wrong(what: "an address with a path", from: "example.com\"", to: "example.com/x\"", says: "notify_origin"),
    Wrong(
      what: "a foreign host in production", from: "appid = ", to: "hosts = [\"https://wechat.example\"]\nappid = ",
      says: "own hosts"),
    Wrong(what: "no app id", from: "appid = \"wx0000000000000001\"\n", to: "", says: "app id"),
    Wrong(
      what: "serial and certificate", from: "appid = ", to: "certificate_file = \"c.pem\"\nappid = ",
      says: "one of the two"),
    Wrong(what: "an unknown key", from: "appid = ", to: "app_id = \"x\"\nappid = ", says: "app_id"),
    Wrong(
      what: "no key to verify with",
      from:
        "[[app.wechat_pay.public_key]]\nid = \"PUB_KEY_ID_0000000000000000000000000001\"\nfile = \"platform.pem\"\n",
      to: "platform_certificates = \"none\"\n", says: "public_key"),
  ]

  @Test(arguments: wrong)
  private func `refuses a wrong merchant with its place and remedy, and shows no secret`(wrong: Wrong) async {
    let toml = Self.head + Self.weChatPay
    let changed = Self.head + Self.replaced(Self.weChatPay, wrong.from, to: wrong.to)
    #expect(changed != toml)
    let answer = await run(
      changed, variables: ["API_V3_KEY": "an APIv3 key made for tests 32 b", "SHORT": "a secret that is too short"])
    #expect(answer.code == 2)
    #expect(answer.errors.contains(wrong.says), "\(answer.errors)")
    #expect(answer.errors.contains("c.toml:"), "\(answer.errors)")
    for secret in ["made for tests", "too short"] { #expect(!answer.errors.contains(secret)) }
  }

  private static func replaced(_ text: String, _ from: String, to: String) -> String {
    guard let range = text.range(of: from) else { return text }
    return String(text[..<range.lowerBound]) + to + String(text[range.upperBound...])
  }

  @Test(arguments: [
    (#"file = "platform.pem""#, #"file = "nowhere.pem""#, ""),
    (#"appid = "#, #"appid = "#, #"trusted_roots = ["nowhere.pem"]"#),
    (#"certificate_serial = "5157F09EFDC096DE15EBE81A47057A7200000001""#, #"certificate_file = "nowhere.pem""#, ""),
    (
      "[[app.wechat_pay.public_key]]",
      """
      [[app.user_token_key]]
      kid = "k"
      algorithm = "ES256"
      public_key_file = "nowhere.pem"
      [[app.wechat_pay.public_key]]
      """, ""
    ),
  ])
  func `reports a missing file as missing, not as malformed`(
    from: String, to: String, above: String
  ) async {
    let answer = await run(above + "\n" + Self.head + Self.replaced(Self.weChatPay, from, to: to))
    #expect(answer.code == 2)
    #expect(answer.errors.contains("configuration_file_unreadable"), "\(answer.errors)")
    #expect(answer.errors.contains("nowhere.pem: there is no such file."), "\(answer.errors)")
    #expect(!answer.errors.contains("malformed"), "\(answer.errors)")
  }

  @Test func `refuses a WeChat Pay price without a merchant, and one of an auto-renewable product`() async {
    let without = await run(Self.head)
    #expect(without.code == 2 && without.errors.contains("[app.wechat_pay]"))
    let renewing = Self.replaced(
      Self.replaced(Self.head, "kind = \"consumable\"", to: "kind = \"autoRenewable\""),
      "units = { unit = \"coin\", amount = 100 }", to: "entitlement = \"club\"")
    let answer = await run(renewing + Self.weChatPay)
    #expect(answer.code == 2 && answer.errors.contains("renews itself"))
  }

  @Test func `needs deliver_from in production unless the app only observes, which WeChat Pay forbids`() async {
    let moment = "deliver_from = 2026-01-01T00:00:00Z\n"
    let missing = await run(Self.replaced(Self.head, moment, to: "") + Self.weChatPay)
    #expect(missing.code == 2 && missing.errors.contains("deliver_from") && missing.errors.contains("observe"))
    let observing = Self.replaced(Self.head, moment, to: "mode = \"observe\"\n")
    let both = await run(observing + Self.weChatPay)
    #expect(both.code == 2 && both.errors.contains("An order at WeChat Pay is made here"), "\(both.errors)")
    let wrong = await run(Self.replaced(Self.head, moment, to: "mode = \"watch\"\n") + Self.weChatPay)
    #expect(wrong.code == 2 && wrong.errors.contains("mode"))
    let sold = Self.replaced(
      observing, "wechat_price_fen = 600\nwechat_description = \"100 金币\"\n",
      to: """
        app_store_product_ids = ["coins"]
        [app.forward_notifications_to]
        url = "https://earlier.example/notify"

        """)
    let good = await run(sold)
    #expect(good.code == 0, "\(good.errors)")
    #expect(good.shown.contains("only observes"))
    #expect(good.shown.contains("passed on to https://earlier.example/notify"))
    let elsewhere = await run(Self.replaced(sold, "https://earlier", to: "ftp://earlier"))
    #expect(elsewhere.code == 2 && elsewhere.errors.contains("forward_notifications_to"), "\(elsewhere.errors)")
  }

  @Test func `shows what a good configuration means, without secrets, in both languages`() async {
    let english = await run(Self.head + Self.weChatPay)
    #expect(english.code == 0, "\(english.errors)")
    #expect(english.shown.contains("merchant 1900000001, 1 products, APP MWEB NATIVE"))
    #expect(english.shown.contains("https://pay.example.com/notifications/wechat-pay/shop"))
    #expect(!english.shown.contains("made for tests"))
    let chinese = await run(
      Self.head + Self.weChatPay, variables: ["API_V3_KEY": "an APIv3 key made for tests 32 b", "LANG": "zh_CN.UTF-8"])
    #expect(chinese.shown.contains("微信支付：商户号 1900000001"))
  }
}
