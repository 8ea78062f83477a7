import PaymentPrimitives
import TOMLConfiguration
import Testing

@Suite struct `A configuration table` {
  @Test func `refuses an unknown key with its position, and suggests the nearest known key`() {
    let text = "[server]\nlistn = 'x'\n"
    let problems = problems(in: text) { _ = $0.table("server")?.optional("listen", .string()) }
    let report = report(text) { _ = $0.table("server")?.optional("listen", .string()) }
    #expect(problems == ["test.toml:2:1 server.listn configuration_unknown_key"])
    #expect(report.contains("Is \"listen\" meant?"))
  }

  @Test(arguments: [
    ("claim_policy", "claimPolicy"), ("clamiPolicy", "claimPolicy"), ("ClaimPolicy", "claimPolicy"),
    ("claimPolicys", "claimPolicy"), ("app", "apps"), ("prot", "port"),
  ])
  func `suggests the right key for a typing error`(typed: String, meant: String) {
    let text = report("\(typed) = 1") { root in
      _ = root.optional("claimPolicy", .string())
      _ = root.optional("apps", .string())
      _ = root.optional("port", .string())
    }
    #expect(text.contains("Is \"\(meant)\" meant?"))
  }

  @Test func `suggests nothing if no key is similar`() {
    #expect(!report("colour = 1") { _ = $0.optional("claimPolicy", .string()) }.contains("meant"))
  }

  @Test func `refuses an unknown table at the position of its name`() {
    #expect(
      problems(in: "\n[[ap]]\nid = 1\n") { _ = $0.tables("app") } == ["test.toml:2:3 ap configuration_unknown_key"])
  }

  @Test func `finds all problems in one pass, in the order of the file`() {
    let text = """
      [[app]]
      id = 7
      [[app]]
      colour = 'red'
      [server]
      port = 70000
      """
    let problems = problems(in: text) { root in
      if let server = root.table("server") {
        _ = server.required("port", .integer(in: 1...65_535))
        _ = server.required("database", .string())
      }
      for app in root.tables("app") { _ = app.required("id", .string()) }
    }
    #expect(
      problems == [
        "test.toml:2:6 app[0].id configuration_wrong_type",
        "test.toml:3:1 app[1].id configuration_missing_key",
        "test.toml:4:1 app[1].colour configuration_unknown_key",
        "test.toml:5:1 server.database configuration_missing_key",
        "test.toml:6:8 server.port configuration_out_of_range",
      ])
  }

  @Test func `reports each problem in both languages, with code, fact and remedy`() throws {
    let error = try #require(error(in: "port = 70000") { _ = $0.required("port", .integer(in: 1...65_535)) })
    #expect(
      error.report(.english) == """
        test.toml:1:8: port: configuration_out_of_range: The value is outside of what the setting allows. \
        It must be a whole number from 1 to 65535; this is 70000.
          Write a value within the range that is named.
        """)
    #expect(error.report(.chinese).contains("该值超出设置项允许的范围。"))
    #expect(error.report(.chinese).contains("请填写所指范围内的值。"))
  }

  @Test func `stops after fifty problems, and reports how many more there are`() {
    let text = (1...60).map { "k\($0) = 1" }.joined(separator: "\n")
    let lines = report(text) { _ in }.split(separator: "\n")
    #expect(lines.count == 101)
    #expect(lines.last == "… and 10 more.")
  }

  @Test func `refuses a list, a value or a list of values in place of tables`() {
    let text = "a = 1\nb = 1\nc = [1, {}]\nd = {x = 1}\n"
    let problems = problems(in: text) { root in
      _ = root.table("a")
      _ = root.tables("b")
      #expect(root.tables("c").map(\.path) == ["c[1]"])
      #expect(root.namedTables("d").isEmpty)
    }
    #expect(
      problems == [
        "test.toml:1:5 a configuration_wrong_type", "test.toml:2:5 b configuration_wrong_type",
        "test.toml:3:6 c[0] configuration_wrong_type", "test.toml:4:10 d.x configuration_wrong_type",
      ])
  }

  @Test func `reports a contradiction found by its caller, at the setting's value`() {
    let problems = problems(in: "[[app]]\nid = 'one'\n") { root in
      for app in root.tables("app") {
        _ = app.optional("id", .string())
        app.refuse("id", .contradiction, details: "There are two.")
        app.refuse(nil, .contradiction, details: "And no key.")
      }
    }
    #expect(
      problems == [
        "test.toml:1:1 app[0] configuration_contradiction", "test.toml:2:6 app[0].id configuration_contradiction",
      ])
  }

  @Test func `shortens a very long key in its report`() {
    let key = String(repeating: "k", count: 5000)
    #expect(report("\(key) = 1") { _ in }.utf8.count < 400)
  }

  @Test func `reads values, tables, lists of tables and free names`() throws {
    let text = """
      name = "shop"
      [server]
      port = 8080
      [[app]]
      id = "one"
      [[app]]
      id = "two"
      [products.zebra]
      coins = 10
      [products.apple]
      coins = 20
      [labels]
      b = "x"
      a = "y"
      """
    let read = try ConfigurationFile(parsing: Array(text.utf8), named: "test.toml").read { root -> [String]? in
      let products = root.namedTables("products").map { name, table in
        "\(name) \(table.required("coins", .integer(in: 1...100)) ?? 0)"
      }
      return [root.required("name", .string()) ?? ""]
        + ["\(root.table("server")?.value("port", .integer(in: 1...65_535), default: 1) ?? 0)"]
        + root.tables("app").map { $0.required("id", .string()) ?? "" } + products
        + root.namedValues("labels", .string()).map { "\($0.name) \($0.value)" }
        + ["\(root.value("missing", .bool, default: true))"]
    }
    #expect(read == ["shop", "8080", "one", "two", "zebra 10", "apple 20", "b x", "a y", "true"])
  }

  // MARK: problems

  private func error(in text: String, _ body: (ConfigurationTable) -> Void) -> ConfigurationError? {
    do throws(ConfigurationError) {
      let file = try ConfigurationFile(parsing: Array(text.utf8), named: "test.toml")
      try file.read { root -> Void? in body(root) }
      return nil
    } catch {
      return error
    }
  }

  private func problems(in text: String, _ body: (ConfigurationTable) -> Void) -> [String] {
    error(in: text, body)?.problems.map { "\($0.place) \($0.setting ?? "-") \($0.error.code.rawValue)" } ?? []
  }

  private func report(_ text: String, _ body: (ConfigurationTable) -> Void) -> String {
    error(in: text, body)?.description ?? ""
  }
}
