import PaymentPrimitives
import ServerConfiguration
import StrictJSON
import Testing

@Suite struct `The command config explain` {
  private func run(_ words: String..., language: String = "en_US.UTF-8") async -> ConfigCommandRun.Answer {
    await ConfigCommandRun.run(
      "", files: [:], variables: ["LANG": language], arguments: ["config", "explain"] + words)
  }

  @Test(arguments: [
    ("app.wechat_pay.mchd", "app.wechat_pay.mchid"), ("prot", "port"), ("app[0].bundel_id", "app.bundle_id"),
    ("apps[].wechat.merchant_key", "app.wechat_pay"), ("algorithm", "app.user_token_key.algorithm"),
  ])
  func `refuses an unknown key, and names the nearest`(typed: String, meant: String) async {
    let answer = await run(typed)
    guard typed != "algorithm" else {
      // A last part that one key has alone is enough.
      #expect(answer.code == 0 && answer.shown.hasPrefix(meant + "\n"), "\(answer.errors)")
      return
    }
    #expect(answer.code == 2 && answer.shown.isEmpty)
    #expect(answer.errors.contains("there is no key \(typed)."), "\(answer.errors)")
    #expect(answer.errors.contains(meant), "\(answer.errors)")
  }

  @Test func `refuses a last part that several keys have, and names them`() async {
    let answer = await run("url")
    #expect(answer.code == 2)
    let words = "several keys end with url: database.url, alerts.url, app.endpoint.url, "
    #expect(answer.errors.contains(words), "\(answer.errors)")
    #expect(answer.errors.contains("Name one of them in full."), "\(answer.errors)")
    #expect(await run("nothing.like.it.at.all.zzzzzzzzzzzz").errors.contains("lists all keys"))
    #expect(await run("port", "address").code == 2)
  }

  @Test func `says type, default, effect of a reload, flag and example of a key`() async {
    let answer = await run("port")
    #expect(answer.code == 0)
    for part in [
      "whole number from 0 to 65535", "Default: 8080", "needs a restart", "--port, COUNTERFOIL_PORT", "port = 8080",
    ] { #expect(answer.shown.contains(part), "\(answer.shown)") }
    let secret = await run("app[0].wechat_pay.api_v3_keys")
    #expect(secret.shown.contains("credential = \"name\"") && secret.shown.contains("takes effect with a reload"))
    let table = await run("[[app.endpoint]]")
    #expect(table.shown.contains("Keys: name, url, environments, secrets, types, may_be_inside"), "\(table.shown)")
  }

  @Test func `explains in the language of the terminal`() async {
    let answer = await run("app.wechat_pay.mchid", language: "zh_CN.UTF-8")
    #expect(answer.shown.contains("商户号") && answer.shown.contains("需要重启"), "\(answer.shown)")
    #expect(await run("prot", language: "zh_CN.UTF-8").errors.contains("没有键 prot"))
  }

  @Test func `lists all keys without one, and each as JSON for programs`() async throws {
    let list = await run()
    #expect(list.code == 0)
    #expect(list.shown.split(separator: "\n").count == ConfigurationReference.keys.count)
    let lines = await run("--json").shown.split(separator: "\n")
    #expect(lines.count == ConfigurationReference.keys.count)
    let json = try JSONReader.read(Array(await run("app.endpoint.secrets", "--json").shown.utf8))
    #expect(json["key"]?.string == "app[].endpoint[].secrets" && json["secret"] == .bool(true))
    #expect(json["default"]?["kind"]?.string == "required" && json["reload"]?.string == "atOnce")
    #expect(json["page"]?.string == "docs/reference/configuration.md#app.endpoint.secrets")
  }
}
