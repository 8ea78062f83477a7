import Cryptography
import Foundation
import PaymentPrimitives
import SigningAuthorities
import Testing

@Suite struct `The key for Apple's servers in the configuration` {
  private static let key = ECDSAPrivateKey(
    curve: .p256, randomBytes: Array("an In-App Purchase key for tests: config".utf8))
  private static let other = ECDSAPrivateKey(curve: .p384, randomBytes: Array(1...48))
  private static let rsa = RSAPrivateKey(randomBytes: Array("an RSA key made for tests: app store config".utf8))

  private static let files: [String: [UInt8]] = [
    "SubscriptionKey.p8": pem("PRIVATE KEY", key.pkcs8.withBytes { Array($0) }),
    "p384.pem": pem("PRIVATE KEY", other.pkcs8.withBytes { Array($0) }),
    "rsa.pem": pem("PRIVATE KEY", rsa.pkcs8.withBytes { Array($0) }),
    "public.pem": pem("PUBLIC KEY", key.publicKey.spki),
    "locked.pem": pem("ENCRYPTED PRIVATE KEY", [0x30, 0x00]),
    "shared.secret": Array("0123456789abcdef0123456789ABCDEF".utf8),
  ]

  private static func pem(_ label: String, _ der: [UInt8]) -> [UInt8] { Array(PEM.text(label: label, bytes: der).utf8) }

  private static let good = """
    profile = "production"
    [[app]]
    id = "shop"
    bundle_id = "com.example"
    app_apple_id = 41234
    deliver_from = 2026-01-01T00:00:00Z
    [[app.product]]
    id = "coins.100"
    kind = "consumable"
    app_store_product_ids = ["com.example.coins100"]
    units = { unit = "coin", amount = 100 }
    [app.app_store]
    issuer_id = "57246542-96fe-1a63-e053-0824d011072a"
    key_id = "ABCDEFGHIJ"
    private_key = { file = "SubscriptionKey.p8" }

    """

  private func run(_ toml: String, _ variables: [String: String] = [:]) async -> ConfigCommandRun.Answer {
    await ConfigCommandRun.run(toml, files: Self.files, variables: variables)
  }

  private struct Wrong: Sendable, CustomTestStringConvertible {
    let from: String
    let to: String
    let says: String
    var testDescription: String { to }
  }

  private static let wrong = [
    Wrong(from: "SubscriptionKey.p8", to: "p384.pem", says: "P-256"),
    Wrong(from: "SubscriptionKey.p8", to: "rsa.pem", says: "P-256 or P-384"),
    Wrong(from: "SubscriptionKey.p8", to: "public.pem", says: "In-App Purchase key"),
    Wrong(from: "SubscriptionKey.p8", to: "locked.pem", says: "In-App Purchase key"),
    Wrong(from: "SubscriptionKey.p8", to: "absent.p8", says: "absent.p8"),
    Wrong(from: "-0824d011072a", to: "", says: "issuer_id"),
    Wrong(from: "ABCDEFGHIJ", to: "AuthKey_ABC.p8", says: "key_id"),
    Wrong(from: "bundle_id = \"com.example\"\napp_apple_id = 41234\n", to: "", says: "bundle_id"),
    Wrong(from: "key_id =", to: "host = \"https://apple.example\"\nkey_id =", says: "own hosts"),
    Wrong(from: "key_id =", to: "sandbox_host = \"http://127.0.0.1:1\"\nkey_id =", says: "own hosts"),
    Wrong(from: "key_id =", to: "host = \"https://a/b\"\nkey_id =", says: "host"),
    Wrong(
      from: "key_id =", to: "verify_receipt = \"lastResort\"\nshared_secret = { environment = \"SHORT\" }\nkey_id =",
      says: "32 hex"),
    Wrong(
      from: "key_id =", to: "shared_secret = { file = \"shared.secret\" }\nkey_id =", says: "lastResort"),
    Wrong(from: "key_id =", to: "verify_receipt = \"always\"\nkey_id =", says: "lastResort"),
    Wrong(from: "key_id = \"ABCDEFGHIJ\"", to: "verify_receipt = \"lastResort\"", says: "key_id"),
    Wrong(from: "key_id =", to: "issuer = \"x\"\nkey_id =", says: "issuer"),
    Wrong(from: "\"production\"", to: "\"simulated\"", says: "simulator"),
    Wrong(from: "key_id =", to: "refund_preference = \"refuse\"\nkey_id =", says: "refund_preference"),
    Wrong(from: "key_id =", to: "user_offers = [\"\"]\nkey_id =", says: "user_offers"),
    Wrong(from: "units = {", to: "debt = \"clip\"\nunits = {", says: "\"clamp\""),
    Wrong(
      from: "units = { unit = \"coin\", amount = 100 }", to: "debt = \"clamp\"\nentitlement = \"vip\"",
      says: "only units can be owed"),
  ]

  @Test(arguments: wrong)
  private func `is refused with its place and remedy if it is wrong`(wrong: Wrong) async throws {
    let range = try #require(Self.good.range(of: wrong.from))
    let answer = await run(
      String(Self.good[..<range.lowerBound]) + wrong.to + String(Self.good[range.upperBound...]), ["SHORT": "abc123"])
    #expect(answer.code == 2)
    #expect(answer.errors.contains(wrong.says), "\(answer.errors)")
    #expect(answer.errors.contains("c.toml:"), "\(answer.errors)")
    #expect(!answer.errors.contains("abc123"))
  }

  @Test func `is shown in both languages, without a secret`() async {
    let english = await run(Self.good)
    #expect(english.code == 0, "\(english.errors)")
    #expect(
      english.shown.contains(
        "App Store Server API: key ABCDEFGHIJ of issuer 57246542-96fe-1a63-e053-0824d011072a, "
          + "https://api.storekit.apple.com and https://api.storekit-sandbox.apple.com\n"), "\(english.shown)")
    let more = "released = false\nverify_receipt = \"lastResort\"\nshared_secret = { file = \"shared.secret\" }\n"
    let chinese = await run(Self.good + more, ["LANG": "zh_CN.UTF-8"])
    #expect(chinese.shown.contains("应用尚未发布"), "\(chinese.errors)\(chinese.shown)")
    #expect(chinese.shown.contains("必要时最后询问 verifyReceipt，已配置共享密钥"), "\(chinese.shown)")
    #expect(!chinese.shown.contains("0123456789"))
  }

  @Test func `comes with the policies of debts, offers and refunds, shown if they are not the defaults`() async {
    #expect(await !run(Self.good).shown.contains("refund"))
    let toml = Self.good.replacing("units = {", with: "debt = \"freeze\"\nunits = {")
    let more = "user_offers = [\"winter\", \"autumn\"]\nrefund_preference = \"prorated\"\n"
    let english = await run(toml + more)
    #expect(english.code == 0, "\(english.errors)")
    for line in [
      "debts after refunds: freeze, 1 products", "offers on request: autumn winter",
      "refund preference sent to Apple: prorated",
    ] {
      #expect(english.shown.contains(line), "\(english.shown)")
    }
    let chinese = await run(toml + "answer_consumption_requests = false\n", ["LANG": "zh_CN.UTF-8"])
    #expect(chinese.shown.contains("退款后的欠款：freeze，1 个商品"), "\(chinese.shown)")
    #expect(chinese.shown.contains("不向 Apple 提供消耗信息"), "\(chinese.shown)")
  }

  @Test func `may be left out if receipts are checked at verifyReceipt alone (1B.8)`() async throws {
    let range = try #require(Self.good.range(of: "issuer_id"))
    let without = String(Self.good[..<range.lowerBound])
    let answer = await run(without + "verify_receipt = \"lastResort\"\n")
    #expect(answer.code == 0, "\(answer.errors)")
    #expect(answer.shown.contains("called as a last resort, without a shared secret"), "\(answer.shown)")
    #expect(!answer.shown.contains("App Store Server API"))
    let nothing = await run(without)
    #expect(nothing.code == 2 && nothing.errors.contains("issuer_id"), "a table that says nothing")
  }

  @Test func `may come from the environment without its line breaks`() async throws {
    let file = try #require(Self.files["SubscriptionKey.p8"])
    let flat = String(decoding: file, as: UTF8.self).replacing("\n", with: "\\n")
    let toml = Self.good.replacing("{ file = \"SubscriptionKey.p8\" }", with: "{ environment = \"KEY\" }")
    let answer = await run(toml, ["KEY": flat])
    #expect(answer.code == 0, "\(answer.errors)")
  }
}
