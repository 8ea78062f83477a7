import PaymentVocabulary
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

  @Test func `are refused where they are no policy, with the words that are`() async {
    let answer = await run(#"finish_when = "keep""#)
    #expect(answer.code == 2)
    #expect(answer.errors.contains("c.toml:7:") && answer.errors.contains("granted"), "\(answer.errors)")
  }

  @Test func `are said where they are not the usual ones, in both languages`() async {
    let usual = await run(#"finish_when = "granted""#)
    #expect(usual.code == 0 && !usual.shown.contains("finish"), "\(usual.errors)\(usual.shown)")
    let kept = await run(#"finish_when = "kept""#)
    #expect(kept.shown.contains("phones finish what is kept"), "\(kept.errors)\(kept.shown)")
    let chinese = await run(#"finish_when = "kept""#, ["LANG": "zh_CN.UTF-8"])
    #expect(chinese.shown.contains("只要已保存"), "\(chinese.shown)")
  }
}
