import CounterfoilCLI
import Cryptography
import Foundation
import HTTPMessages
import PaymentPrimitives
import Testing

/// A configuration that can be read and cannot work: `config` and `doctor` refuse it with the place of the error.
@Suite struct `A configuration that cannot work` {
  private static let good = """
    profile = "production"
    address = "127.0.0.1"
    [[app]]
    id = "shop"
    bundle_id = "com.example.shop"
    app_apple_id = 41234
    deliver_from = 2026-01-01T00:00:00Z
    [[app.product]]
    id = "coins.100"
    kind = "consumable"
    app_store_product_ids = ["com.example.shop.coins100"]
    units = { unit = "coin", amount = 100 }

    """
  private static let secret = Array(("whsec_" + Base64.encode(Array(repeating: 7, count: 32))).utf8)

  private static func endpoint(_ url: String, _ more: String = "") -> String {
    good
      + "[[app.endpoint]]\nname = \"backend\"\nurl = \"\(url)\"\nsecrets = [{ file = \"webhook.secret\" }]\n\(more)\n"
  }

  private func run(
    _ toml: String, files: [String: [UInt8]] = [:], command: [String] = ["config", "check"],
    variables: [String: String] = [:]
  ) async -> ConfigCommandRun.Answer {
    await ConfigCommandRun.run(
      toml, files: files.merging(["webhook.secret": Self.secret]) { given, _ in given }, variables: variables,
      arguments: command + ["--config", "c.toml"])
  }

  @Test(arguments: [
    "https://10.0.0.7/hook", "https://192.168.1.5:8443/hook", "https://172.20.0.3/hook", "https://169.254.169.254/",
    "http://127.0.0.1:9000/hook", "https://localhost/hook", "https://[::1]/hook", "https://[fd00::7]/hook",
    "https://backend:8080/hook", "https://backend.internal/hook", "https://backend.local./hook", "https://127.1/hook",
    "https://2130706433/hook", "https://100.64.1.1/hook", "https://user@10.0.0.7/hook", "https://[::ffff:10.0.0.7]/",
  ])
  func `sends deliveries into the inner network without permission, and is refused`(url: String) async {
    let answer = await run(Self.endpoint(url))
    #expect(answer.code == 2, "\(answer.shown)")
    #expect(answer.errors.contains("app[0].endpoint[0].url: configuration_cannot_work"), "\(answer.errors)")
    #expect(answer.errors.contains("may_be_inside = true"))
    let allowed = await run(Self.endpoint(url, "may_be_inside = true"))
    #expect(allowed.code == 0, "\(allowed.errors)")
  }

  @Test func `sends over plain HTTP to another machine, and is refused`() async {
    let answer = await run(Self.endpoint("http://hooks.shop-backend.com/counterfoil"))
    #expect(answer.code == 2 && answer.errors.contains("plain HTTP"), "\(answer.errors)")
    let forward = await run(
      Self.good + "[app.forward_notifications_to]\nurl = \"http://earlier.shop-backend.com/apple\"\n")
    #expect(forward.code == 2 && forward.errors.contains("forward_notifications_to.url"), "\(forward.errors)")
    let inside = await run(
      Self.good + "[app.forward_notifications_to]\nurl = \"https://10.1.2.3/apple\"\n")
    #expect(inside.code == 2 && inside.errors.contains("may_be_inside"), "\(inside.errors)")
    let encrypted = await run(Self.endpoint("https://hooks.shop-backend.com/counterfoil"))
    #expect(encrypted.code == 0, "\(encrypted.errors)")
  }

  @Test(arguments: ["0.0.0.0", "192.0.2.7", "::"])
  func `listens to other machines over plain HTTP, and is refused`(address: String) async {
    let toml = Self.good.replacing("127.0.0.1", with: address)
    let answer = await run(toml)
    #expect(answer.code == 2 && answer.errors.contains("address: configuration_cannot_work"), "\(answer.errors)")
    #expect(await run(toml.replacing("\"production\"", with: "\"simulated\"")).errors.contains("cannot_work") == false)
    #expect(await run(Self.good).code == 0)
  }

  @Test func `has a key of the top below a table, and is told where it belongs`() async {
    let answer = await run(Self.good + "[backup]\nfolder = \"/backups\"\nport = 8443\n")
    #expect(answer.code == 2 && answer.errors.contains("backup.port: configuration_unknown_key"), "\(answer.errors)")
    #expect(answer.errors.contains("above the first line in brackets"), "\(answer.errors)")
  }

  @Test func `names missing TLS files, and is refused before the server starts`() async {
    let toml = "[tls]\ncertificate = \"chain.pem\"\nkey = \"key.pem\"\n"
    let whole = Self.good.replacing("[[app]]", with: toml + "[[app]]")
    let missing = await run(whole)
    #expect(missing.code == 2)
    #expect(missing.errors.contains("tls.certificate: configuration_cannot_work"), "\(missing.errors)")
    #expect(missing.errors.contains("tls.key: configuration_cannot_work"), "\(missing.errors)")
    let nonsense = await run(
      whole, files: ["chain.pem": Array("no certificate".utf8), "key.pem": Array("no key".utf8)])
    #expect(nonsense.code == 2 && nonsense.errors.contains("no private key in PEM form"), "\(nonsense.errors)")
  }

  private static let placeholders: [(from: String, to: String, place: String)] = [
    ("\"com.example.shop\"", "\"com.example.app\"", "app[0].bundle_id"),
    ("app_apple_id = 41234", "app_apple_id = 1", "app[0].app_apple_id"),
    ("com.example.shop.coins100", "com.example.app.coins100", "app[0].product"),
  ]

  @Test(arguments: 0..<3)
  func `has values of the template in production, and is refused`(index: Int) async {
    let (from, to, place) = Self.placeholders[index]
    let answer = await run(Self.good.replacing(from, with: to))
    #expect(answer.code == 2 && answer.errors.contains(place + ": configuration_placeholder"), "\(answer.errors)")
    #expect(await run(Self.good).code == 0)
  }

  @Test func `is refused by doctor with the same words, in both languages`() async {
    let toml = Self.good.replacing("app_apple_id = 41234", with: "app_apple_id = 1")
    let answer = await run(toml, command: ["doctor"])
    #expect(answer.code == 2 && answer.errors.contains("configuration_placeholder"), "\(answer.errors)")
    let chinese = await run(toml, command: ["doctor"], variables: ["LANG": "zh_CN.UTF-8"])
    #expect(chinese.errors.contains("请填写自己的值"), "\(chinese.errors)")
  }
}
