import CounterfoilCLI
import Foundation
import PaymentPrimitives
import ServerConfiguration
import TOMLConfiguration
import Testing

@Suite struct `The reference of the configuration` {
  private static let keys = ConfigurationReference.keys

  /// Every key that a server asked for while it read the examples of the reference, by path.
  private static func asked() throws -> [String: [AskedSetting]] {
    var found: [AskedSetting] = []
    for profile in ["production", "simulated"] {
      for key in keys where !key.isSimulatedOnly || profile == "simulated" {
        _ = try ExampleConfiguration(profile: profile, with: key).read { found.append($0) }
      }
    }
    return Dictionary(grouping: Set(found), by: \.path)
  }

  @Test func `misses no key that a server reads, and has none that it does not`() throws {
    let asked = try Self.asked()
    let listed = Set(Self.keys.map(\.path))
    #expect(Set(asked.keys).subtracting(listed) == [], "read by the server, and not in the reference")
    #expect(listed.subtracting(asked.keys) == [], "in the reference, and not read by the server")
    #expect(listed.count == Self.keys.count, "a key stands there twice")
  }

  @Test func `states type, bounds and need as the server reads them`() throws {
    let asked = try Self.asked()
    for key in Self.keys {
      let found = asked[key.path] ?? []
      #expect(Set(found.map(\.shape)) == [key.shape], "\(key.path)")
      switch key.standard {
      case .required: #expect(key.shape == .tables || found.contains { $0.isRequired }, "\(key.path) is not required")
      case .none:
        #expect(!found.contains { $0.hasDefault || $0.isRequired }, "\(key.path) has a default, or is required")
      case .value, .depends: #expect(!found.contains { $0.isRequired && $0.hasDefault }, "\(key.path)")
      }
      if case .value = key.standard { #expect(!found.contains { $0.isRequired }, "\(key.path) is required") }
    }
  }

  @Test(arguments: ["production", "simulated"])
  func `gives for each key an example that a server takes`(profile: String) throws {
    for key in Self.keys where !key.isSimulatedOnly || profile == "simulated" {
      let example = try ExampleConfiguration(profile: profile, with: key)
      do { _ = try example.read() } catch { Issue.record("\(key.path): \(error)\n\(example.text)") }
    }
  }

  @Test func `states the default that the server uses`() throws {
    for key in Self.keys {
      guard case .value(let standard) = key.standard else { continue }
      let profile = key.isSimulatedOnly ? "simulated" : "production"
      let without = try ExampleConfiguration(profile: profile, without: key)
      let with = try ExampleConfiguration(profile: profile, with: key, stating: "\(key.name) = \(standard)")
      #expect(without.text != with.text, "\(key.path)")
      let change = try with.effect().difference(from: try without.effect())
      #expect(change.isEmpty, "\(key.path) = \(standard): \(change)")
    }
  }

  @Test func `shows by an other value that the comparison of defaults can fail`() throws {
    let port = try #require(ConfigurationReference.key(at: "port"))
    let without = try ExampleConfiguration(profile: "production", without: port)
    let other = try ExampleConfiguration(profile: "production", with: port, stating: "port = 8081")
    #expect(try without.effect() != other.effect())
  }

  @Test func `explains each key in both languages, with the anchor to which errors link`() {
    for language in Language.allCases {
      let page = ConfigurationReference.pageText(language)
      for key in Self.keys {
        #expect(page.contains("<a id=\"\(key.anchor)\"></a>"), "\(key.anchor)")
        #expect(page.contains(key.meaning[language]), "\(key.anchor)")
        #expect(page.contains(key.fragment), "\(key.anchor)")
      }
    }
    for key in Self.keys {
      #expect(key.meaning.english.last == "." && key.meaning.chinese.last == "。", "\(key.path)")
      #expect(key.meaning.english.unicodeScalars.allSatisfy { $0.value < 0x3000 }, "\(key.path)")
    }
  }

  @Test func `is linked from the error at a key, with the page of the language`() async {
    let english = await ConfigCommandRun.run("profile = \"production\"\nport = 70000\n", files: [:], variables: [:])
    #expect(
      english.errors.contains("See `counterfoil config explain port`, docs/reference/configuration.md#port\n"),
      "\(english.errors)")
    let chinese = await ConfigCommandRun.run(
      "[[app]]\nbundle = \"x\"\n", files: [:], variables: ["LANG": "zh_CN.UTF-8"])
    #expect(
      chinese.errors.contains("参见 `counterfoil config explain app.id`，docs/reference/configuration.zh-CN.md#app.id\n"),
      "\(chinese.errors)")
    // An unknown key has no anchor of its own: its table has one.
    #expect(chinese.errors.contains("app[0].bundle: configuration_unknown_key"), "\(chinese.errors)")
    #expect(
      chinese.errors.contains("参见 `counterfoil config explain app`，docs/reference/configuration.zh-CN.md#app\n"),
      "\(chinese.errors)")
  }
}
