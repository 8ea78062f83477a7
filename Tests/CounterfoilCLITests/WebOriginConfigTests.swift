import Testing

@Suite struct `What a configuration says about web pages` {
  private func run(_ head: String) async -> ConfigCommandRun.Answer {
    await ConfigCommandRun.run(
      """
      profile = "production"
      \(head)
      [[app]]
      id = "shop"
      deliver_from = 2026-01-01T00:00:00Z
      bundle_id = "com.example.shop"
      app_apple_id = 1234
      [[app.product]]
      id = "coins.100"
      kind = "consumable"
      app_store_product_ids = ["com.example.coins100"]
      units = { unit = "coin", amount = 100 }
      """, files: [:], variables: [:], arguments: ["config", "check", "--config", "c.toml"], exchange: nil)
  }

  @Test(arguments: [
    ("[\"*\"]", "small letters"), ("[\"https://shop.example.com/\"]", "without a path"), ("[\"null\"]", "null"),
    ("[\"http://shop.example.com\"]", "no encryption"), ("\"https://shop.example.com\"", "a list"),
    ("[\(Array(repeating: "\"https://shop.example.com\"", count: 101).joined(separator: ","))]", "101 entries"),
  ])
  func `is refused if a browser would never send it, or if others could change the page`(
    value: String, word: String
  ) async {
    let answer = await run("web_origins = \(value)")
    #expect(answer.code == 2)
    #expect(answer.errors.contains(word), "\(answer.errors)")
  }

  @Test func `is accepted for pages with encryption and for pages of this machine`() async {
    let answer = await run("web_origins = [\"https://shop.example.com\", \"http://localhost:3000\"]")
    #expect(answer.code == 0, "\(answer.errors)")
  }
}
