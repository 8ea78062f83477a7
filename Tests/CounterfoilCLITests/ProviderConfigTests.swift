import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Testing

@Suite struct `What a configuration says about an identity provider` {
  private static let lines = [
    "issuer": #"issuer = "https://login.example.com""#, "audience": #"audience = "counterfoil""#,
    "header": #"header = "X-Identity-Token""#, "trusted_proxies": #"trusted_proxies = ["127.0.0.1"]"#,
    "keys_file": #"keys_file = "jwks.json""#,
  ]
  private static let role = "[[console.proxy.role]]\nvalue = \"help\"\nrole = \"support\"\n"
  private static let files = [
    "jwks.json": ExampleFiles.keySet(ExampleFiles.appleKey.publicKey), "empty.json": Array(#"{"keys":[]}"#.utf8),
  ]

  /// - Parameters:
  ///   - line: replaces the line of its key.
  ///   - absent: the key that is left out.
  private func run(
    _ line: String = "", without absent: String? = nil, role: String = role,
    arguments: [String] = ["config", "check", "--config", "c.toml"], exchange: HTTPExchange? = nil
  ) async -> ConfigCommandRun.Answer {
    var lines = Self.lines
    if let absent { lines[absent] = nil }
    if !line.isEmpty { lines[String(line.prefix { $0 != " " })] = line }
    let toml = """
      profile = "production"
      [console]
      origin = "https://console.example.com"
      [console.proxy]
      \(lines.sorted { $0.key < $1.key }.map(\.value).joined(separator: "\n"))
      \(role)
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

      """
    return await ConfigCommandRun.run(
      toml, files: Self.files, variables: [:], arguments: arguments, exchange: exchange)
  }

  @Test(arguments: ["issuer", "audience", "header", "trusted_proxies", "keys_file"])
  func `is refused without a key that it needs`(key: String) async {
    let answer = await run(without: key)
    #expect(answer.code == 2 && answer.errors.contains("console.proxy.\(key)"), "\(answer.errors)")
  }

  @Test(arguments: [
    ("trusted_proxies = []", "1 to 256"), (#"trusted_proxies = ["0.0.0.0/0"]"#, "every address"),
    (#"trusted_proxies = ["proxy.local"]"#, "proxy.local"), (#"header = "X Token""#, "no name of a header field"),
    (#"header = "Cookie""#, "no name of a header field"), (#"keys_file = "missing.json""#, "missing.json"),
    (#"keys_file = "empty.json""#, "no key with a kid"),
    (#"keys_url = "https://login.example.com/jwks""#, "one of the two"),
    (#"algorithms = []"#, "1 to 2"), (#"algorithms = ["HS256"]"#, "ES256"), (#"algorithms = ["none"]"#, "ES256"),
    (#"second_factor = "mfa""#, "second_factors"),
  ])
  func `is refused if it makes no sense`(line: String, words: String) async {
    let answer = await run(line)
    #expect(answer.code == 2 && answer.errors.contains(words), "\(answer.errors)")
  }

  @Test(arguments: [
    "http://login.example.com/jwks", "ftp://login.example.com/jwks", "https://user@login.example.com/jwks",
    "https://login.example.com/jwks#1",
  ])
  func `is refused with an address of keys that others could change`(url: String) async {
    let answer = await run("keys_url = \"\(url)\"", without: "keys_file")
    #expect(answer.code == 2 && answer.errors.contains("keys_url"), "\(answer.errors)")
  }

  @Test(arguments: [
    ("", "no operator has a role"), ("[[console.proxy.role]]\nvalue = \"help\"\nrole = \"root\"\n", "support"),
    ("[[console.proxy.role]]\nrole = \"support\"\n", "value"),
    ("[[console.proxy.role]]\nvalue = \"help\"\nrole = \"support\"\napp = \"other\"\n", "other"),
  ])
  func `is refused with roles that give nothing`(role: String, words: String) async {
    let answer = await run(role: role)
    #expect(answer.code == 2 && answer.errors.contains(words), "\(answer.errors)")
  }

  @Test func `is taken with keys of a file or of an address`() async {
    let file = await run()
    #expect(file.code == 0, "\(file.errors)")
    let url = await run(#"keys_url = "https://login.example.com/jwks""#, without: "keys_file")
    #expect(url.code == 0, "\(url.errors)")
  }

  /// What `doctor` says about the keys.
  private func finding(_ response: HTTPResponse) async -> JSONValue? {
    let exchange = HTTPExchange { request, _ throws(HTTPExchangeError) in
      guard request.target == "https://login.example.com/jwks" else { throw .unreachable("nobody listens") }
      return response
    }
    let answer = await run(
      #"keys_url = "https://login.example.com/jwks""#, without: "keys_file",
      arguments: ["doctor", "--config", "c.toml", "--json"], exchange: exchange)
    return answer.shown.split(separator: "\n").compactMap { try? JSONReader.read($0.utf8) }
      .first { $0["check"]?.string == "console.proxy" }
  }

  @Test func `is tried by doctor: the keys must be there`() async throws {
    for response in [
      HTTPResponse(status: 404), HTTPResponse(status: 200, body: Array("{}".utf8)),
      HTTPResponse(status: 500, body: Self.files["jwks.json"] ?? []),
    ] {
      let found = try #require(await finding(response))
      #expect(found["outcome"]?.string == "failed")
      #expect(found["remedy"]?.string?.contains("keys_url") == true)
    }
    let found = try #require(await finding(HTTPResponse(status: 200, body: Self.files["jwks.json"] ?? [])))
    #expect(found["outcome"]?.string == "passed", "\(found)")
    #expect(found["cause"]?.string?.contains("https://login.example.com were read: 1") == true)
  }
}
