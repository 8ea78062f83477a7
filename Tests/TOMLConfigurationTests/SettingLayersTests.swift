import PaymentPrimitives
import TOMLConfiguration
import Testing

@Suite struct `The layers of a server setting` {
  @Test func `are refused one by one, each under its own name, even if a stronger layer is valid`() {
    let layers = SettingLayers(
      flags: ["max-body-bytes": "lots"], environment: ["COUNTERFOIL_MAX_BODY_BYTES": "0"])
    let problems = problems(in: "maxBodyBytes = true", layers) {
      _ = $0.layered("maxBodyBytes", .integer(in: 1...1000), default: 10)
    }
    #expect(
      problems == [
        "test.toml:1:16 configuration_wrong_type", "--max-body-bytes configuration_malformed",
        "COUNTERFOIL_MAX_BODY_BYTES configuration_out_of_range",
      ])
  }

  @Test func `refuse a secret or a list from a flag`() {
    let layers = SettingLayers(flags: ["key": "sesame", "hosts": "a"])
    let problems = problems(in: "", layers) {
      _ = $0.layered("key", .secret, default: .environment("KEY"))
      _ = $0.layered("hosts", .list(of: .string()), default: [])
    }
    #expect(problems == ["--key configuration_malformed", "--hosts configuration_malformed"])
  }

  @Test func `take precedence in this order: flag, environment, file, default`() {
    let all: [Int?] = [1, 2, 3]
    for (left, origin) in SettingOrigin.allCases.enumerated() {
      let there = all.enumerated().map { $0.offset < left ? nil : $0.element }
      let setting = SettingLayers.first(flag: there[0], environment: there[1], file: there[2], default: 4)
      #expect(setting.value == left + 1)
      #expect(setting.origin == origin)
    }
  }

  @Test(arguments: [
    ("listen", "listen", "COUNTERFOIL_LISTEN"), ("listenAddress", "listen-address", "COUNTERFOIL_LISTEN_ADDRESS"),
  ])
  func `have names made from the key`(key: String, flag: String, variable: String) {
    #expect(SettingLayers.flagName(of: key) == flag)
    #expect(SettingLayers.variableName(of: key) == variable)
  }

  @Test func `read the same values from each source`() throws {
    let layers = SettingLayers(
      flags: ["listen": "[::1]:80", "wait": "30s"],
      environment: ["COUNTERFOIL_PORT": "81", "COUNTERFOIL_SINCE": "2026-11-20T00:00:00Z", "COUNTERFOIL_OPEN": "true"])
    let values = try ConfigurationFile.none.read(layers: layers) { root -> [String]? in
      [
        root.layered("listen", .string(), default: "x").value,
        "\(root.layered("wait", .duration(in: .zero ... .hours(1)), default: .zero).value.milliseconds)",
        "\(root.layered("port", .integer(in: 1...99), default: 1).value)",
        root.layered("since", .moment, default: .init(milliseconds: 0)).value.iso8601,
        "\(root.layered("open", .bool, default: false).value)",
        "\(root.layered("left", .bool, default: false).origin)",
      ]
    }
    #expect(values == ["[::1]:80", "30000", "81", "2026-11-20T00:00:00.000Z", "true", "default"])
  }

  // MARK: problems

  private func problems(
    in text: String, _ layers: SettingLayers, _ body: (ConfigurationTable) -> Void
  ) -> [String] {
    do throws(ConfigurationError) {
      let file = try ConfigurationFile(parsing: Array(text.utf8), named: "test.toml")
      try file.read(layers: layers) { root -> Void? in body(root) }
      return []
    } catch {
      return error.problems.map { "\($0.place) \($0.error.code.rawValue)" }
    }
  }
}
