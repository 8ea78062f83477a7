import Foundation
import Testing
import TidyRules

@Suite struct `The layers` {
  private func target(_ name: String, _ path: String, _ dependencies: Set<String> = []) -> Manifest.Target {
    Manifest.Target(name: name, path: path, dependencies: dependencies)
  }

  private func problems(_ targets: Manifest.Target...) -> [String] {
    LayerRule.problems(in: Manifest(targets: targets))
  }

  @Test func `may not be crossed upwards`() {
    #expect(
      problems(
        target("PaymentModel", "Sources/Core/PaymentModel", ["PaymentEngine"]),
        target("PaymentEngine", "Sources/Services/PaymentEngine"))
        == ["PaymentModel (Core) must not reach PaymentEngine (Services)"])
  }

  @Test func `keep the server from the simulators, and services from sockets`() {
    #expect(
      problems(
        target("PaymentServer", "Sources/Interfaces/PaymentServer", ["AppStoreSimulator", "HTTPServer"]),
        target("AppStoreSimulator", "Sources/Simulators/AppStoreSimulator"),
        target("HTTPServer", "Sources/Platform/HTTPServer")
      ).count == 2)
  }

  @Test func `keep cryptography from the client`() {
    #expect(
      problems(
        target("Counterfoil", "Sources/Client/Counterfoil", ["HTTPMessages", "Cryptography"]),
        target("HTTPMessages", "Sources/Protocols/HTTPMessages"),
        target("Cryptography", "Sources/Protocols/Cryptography"))
        == ["Counterfoil (Client) must not reach Cryptography (Protocols)"])
  }

  @Test func `keep the stores from the engine, and one store from the other`() {
    let appStore = target("AppStoreProtocol", "Sources/Protocols/AppStoreProtocol")
    let weChatPay = target("WeChatPayProtocol", "Sources/Protocols/WeChatPayProtocol")
    #expect(
      problems(
        target("PaymentEngine", "Sources/Services/PaymentEngine", ["AppStoreProtocol"]), appStore,
        target(
          "AppStoreIntegration", "Sources/Services/AppStoreIntegration",
          ["AppStoreProtocol", "WeChatPayProtocol"]), weChatPay)
        == [
          "AppStoreIntegration (Services) must not reach WeChatPayProtocol (Protocols)",
          "PaymentEngine (Services) must not reach AppStoreProtocol (Protocols)",
        ])
  }

  @Test func `keep the platform and the programs from whole simulated systems`() {
    #expect(
      problems(
        target("SimulationKit", "Sources/Simulators/SimulationKit", ["PaymentServer", "HTTPServer"]),
        target("PaymentServer", "Sources/Interfaces/PaymentServer"),
        target("HTTPServer", "Sources/Platform/HTTPServer"))
        == ["SimulationKit (Simulators) must not reach HTTPServer (Platform)"])
  }

  @Test func `have each C library behind one module`() {
    #expect(
      problems(target("PaymentEngine", "Sources/Services/PaymentEngine", ["CSQLite"])) == [
        "PaymentEngine must not reach CSQLite, which belongs to CFaultyDisk and CJoinedWrites and SQLiteDatabase"
      ])
  }

  @Test func `have no module beside them`() {
    #expect(problems(target("Stray", "Sources/Stray")) == ["Stray lies in no layer: Sources/Stray"])
  }

  // MARK: products

  private func carried(_ targets: [Manifest.Target], _ products: [Manifest.Product] = []) -> [String] {
    let manifest = Manifest(targets: targets, products: products)
    return LayerRule.carried(in: manifest, ClientProduct.all(in: manifest))
  }

  @Test func `keep shims of Apple's frameworks out of products and programs, also through another module`() {
    let targets = [
      target("StoreKit", "Sources/Simulators/AppleFrameworkShims/StoreKit"),
      target("Adapter", "Sources/Client/Adapter", ["StoreKit"]),
      Manifest.Target(
        name: "Tool", path: "Sources/Programs/Tool", kind: "executable", dependencies: ["Adapter"]),
      Manifest.Target(name: "Trial", path: "Tests/Trial", kind: "executable", dependencies: ["Adapter"]),
    ]
    #expect(
      carried(targets, [.init(name: "Kit", isLibrary: true, targets: ["Adapter"])])
        == ["the product Kit carries StoreKit", "the program Tool carries StoreKit"])
  }

  @Test func `keep C libraries out of an app, also through another module`() {
    let targets = [
      target("Client", "Sources/Client/Client", ["HTTPMessages"]),
      target("HTTPMessages", "Sources/Protocols/HTTPMessages", ["COpenSSL"]),
      Manifest.Target(name: "COpenSSL", path: "Sources/C/COpenSSL", kind: "system"),
    ]
    #expect(
      carried(targets, [.init(name: "Kit", isLibrary: true, targets: ["Client"])])
        == ["the product Kit carries COpenSSL"])
    #expect(carried(targets, [.init(name: "tool", isLibrary: false, targets: ["Client"])]) == [])
  }

  @Test func `keep every simulator from the server's program, also through another module`() {
    let targets = [
      target("CounterfoilProgram", "Sources/Programs/CounterfoilProgram", ["CLI"]),
      target("CLI", "Sources/Programs/CLI", ["AppStoreSimulator"]),
      target("AppStoreSimulator", "Sources/Simulators/AppStoreSimulator"),
    ]
    #expect(carried(targets) == ["the server's program carries AppStoreSimulator"])
  }

  @Test func `are drawn between the marks of a page`() throws {
    let page = SourceFile("A.md", "# A\n<!-- layers -->\n```text\nold\n```\nz\n")
    let drawing = LayerRule.drawing(of: Manifest(targets: [target("A", "Sources/Core/A"), target("B", "Tests/B")]))
    #expect(drawing.contains("Core         A"))
    #expect(try LayerRule.page(page, drawing: ["new"]) == "# A\n<!-- layers -->\n```text\nnew\n```\nz\n")
    #expect(throws: Toolchain.Failure.self) { try LayerRule.page(SourceFile("A.md", "# A\n"), drawing: []) }
  }

  // MARK: the manifest

  @Test func `are read from what the package manager prints`() throws {
    let dump = #"""
      {"targets": [{"name": "A", "type": "regular", "path": "Sources/Core/A", "dependencies": [{"byName": ["B", null]},
      {"byName": ["C", {"platformNames": ["linux"]}]}]}, {"name": "B", "type": "regular", "path": "Sources/Core/B"},
      {"name": "T", "type": "test"}],
      "platforms": [{"platformName": "ios", "version": "15.0", "options": []}],
      "products": [{"name": "P", "targets": ["A"], "type": {"library": ["automatic"]}},
      {"name": "p", "targets": ["A"], "type": {"executable": null}}]}
      """#
    let manifest = try Manifest(dump: Data(dump.utf8))
    #expect(manifest.targets.map(\.path) == ["Sources/Core/A", "Sources/Core/B", "Tests/T"])
    #expect(manifest.products.map(\.isLibrary) == [true, false])
    #expect(manifest.platforms == ["ios": 15])
    let products = ClientProduct.all(in: manifest)
    #expect(products.map(\.name) == ["P"], "without programs")
    #expect(products.first?.closure == ["A", "B"], "without what some systems alone have")
    #expect(throws: (any Error).self) { try Manifest(dump: Data("{}".utf8)) }
  }
}
