import PaymentPrimitives
import Testing

@Suite struct `The policies of an app in the configuration` {
  private static let good = """
    profile = "production"
    [[app]]
    id = "shop"
    bundle_id = "com.example"
    app_apple_id = 41234
    deliver_from = 2026-01-01T00:00:00Z
    POLICY
    [[app.product]]
    id = "coins.100"
    kind = "consumable"
    app_store_product_ids = ["com.example.coins100"]
    units = { unit = "coin", amount = 100 }

    """

  private func run(_ policy: String, _ variables: [String: String] = [:]) async -> ConfigCommandRun.Answer {
    await ConfigCommandRun.run(
      Self.good.replacing("POLICY", with: policy), files: [:], variables: variables)
  }

  @Test func `are refused if they are unknown, with the list of known ones`() async {
    let answer = await run(#"finish_when = "keep""#)
    #expect(answer.code == 2)
    #expect(answer.errors.contains("c.toml:7:") && answer.errors.contains("granted"), "\(answer.errors)")
  }

  @Test func `on tokens have two known values, and are shown if tokens name users`() async {
    let wrong = await run(#"token_meaning = "account""#)
    #expect(wrong.code == 2 && wrong.errors.contains("c.toml:7:") && wrong.errors.contains("user"), "\(wrong.errors)")
    let usual = await run(#"token_meaning = "order""#)
    #expect(usual.code == 0 && !usual.shown.contains("UUID"), "\(usual.errors)\(usual.shown)")
    let users = await run(#"token_meaning = "user""#)
    #expect(users.shown.contains("names the user with that UUID"), "\(users.errors)\(users.shown)")
    let chinese = await run(#"token_meaning = "user""#, ["LANG": "zh_CN.UTF-8"])
    #expect(chinese.shown.contains("视为用户的 UUID"), "\(chinese.shown)")
  }

  private struct Wrong: Sendable, CustomTestStringConvertible {
    let policy: String
    let says: String
    var testDescription: String { policy }
  }

  private static let wrong = [
    Wrong(policy: #"team_id = "ABCDE12345""#, says: "app[0].universal_link_paths"),
    Wrong(policy: #"universal_link_paths = ["/app/*"]"#, says: "app[0].team_id"),
    Wrong(policy: "team_id = \"abcde12345\"\nuniversal_link_paths = [\"/app/*\"]", says: "ten capital letters"),
    Wrong(policy: "team_id = \"ABCDE12345\"\nuniversal_link_paths = [\"app/*\"]", says: "a path such as /app/*"),
    Wrong(policy: "team_id = \"ABCDE12345\"\nuniversal_link_paths = []", says: "0 items"),
    Wrong(policy: #"sandbox_purchases = "show""#, says: #""review""#),
    Wrong(policy: #"sandbox_purchases = "testers""#, says: "app[0].sandbox_testers"),
    Wrong(policy: "sandbox_purchases = \"testers\"\nsandbox_testers = []", says: "0 items"),
    Wrong(policy: #"sandbox_testers = ["alice"]"#, says: #"sandbox_purchases = "testers""#),
    Wrong(policy: #"sandbox_purchases = "review""#, says: "say until when"),
    Wrong(
      policy: "sandbox_purchases = \"review\"\nsandbox_until = 2026-03-31T12:00:01Z", says: "more than 30 days ahead"),
    Wrong(policy: "sandbox_purchases = \"review\"\nsandbox_until = 2026-03-20T12:00:00", says: "sandbox_until"),
    Wrong(policy: "sandbox_until = 2026-03-20T12:00:00Z", says: #"sandbox_purchases = "review""#),
  ]

  @Test(arguments: wrong)
  private func `on the sandbox are refused if they are incomplete, or open for too long`(wrong: Wrong) async {
    let answer = await run(wrong.policy)
    #expect(answer.code == 2)
    #expect(answer.errors.contains(wrong.says), "\(answer.errors)")
    #expect(answer.errors.contains("c.toml:"), "\(answer.errors)")
  }

  @Test func `on the sandbox may last 30 days, and may be over: the server still starts`() async {
    for until in ["2026-03-31T12:00:00Z", "2026-01-01T00:00:00Z"] {
      let answer = await run("sandbox_purchases = \"review\"\nsandbox_until = \(until)")
      #expect(answer.code == 0, "\(answer.errors)")
      #expect(answer.shown.contains("everybody until \(until.prefix(10))"), "\(answer.shown)")
    }
    let testers = await run("sandbox_purchases = \"testers\"\nsandbox_testers = [\"alice\", \"bob\"]")
    #expect(testers.shown.contains("2 testers"), "\(testers.errors)\(testers.shown)")
    let refused = await run(#"sandbox_purchases = "refuse""#, ["LANG": "zh_CN.UTF-8"])
    #expect(refused.shown.contains("拒绝沙盒购买"), "\(refused.shown)")
  }

  @Test func `are shown if they are not the defaults, in both languages`() async {
    let usual = await run(#"finish_when = "granted""#)
    #expect(usual.code == 0 && !usual.shown.contains("finish"), "\(usual.errors)\(usual.shown)")
    let kept = await run(#"finish_when = "kept""#)
    #expect(kept.shown.contains("phones finish what is kept"), "\(kept.errors)\(kept.shown)")
    let moved = await run(#"restore = "transfer""#)
    #expect(moved.shown.contains("moves a right to the user who asks"), "\(moved.errors)\(moved.shown)")
    #expect(await run(#"restore = "anyone""#).errors.contains("keepOwner"))
    let chinese = await run(#"finish_when = "kept""#, ["LANG": "zh_CN.UTF-8"])
    #expect(chinese.shown.contains("只要已保存"), "\(chinese.shown)")
  }
}
