import Testing

@Suite struct `A problem of a configuration` {
  @Test func `is reported once, although two readers ask for its key`() async {
    let toml = """
      profile = "simulated"
      [[app]]
      id = ""
      bundle_id = "org.shop.game"
      [[app.product]]
      id = "coins"
      kind = "consumable"
      app_store_product_ids = ["org.shop.game.coins"]
      units = { unit = "coin", amount = 1 }

      """
    let answer = await ConfigCommandRun.run(
      toml, files: [:], variables: [:], arguments: ["config", "check", "--config", "c.toml"])
    #expect(answer.code == 2)
    #expect(answer.errors.matches(of: /app\[0\]\.id: configuration_/).count == 1, "\(answer.errors)")
  }
}
