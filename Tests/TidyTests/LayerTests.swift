import Foundation
import Testing

@Suite struct `The layers` {
  private func targets(_ targets: (String, String, Set<String>)...) -> Manifest {
    Manifest(
      targets: targets.map { Manifest.Target(name: $0.0, path: $0.1, kind: "regular", dependencies: $0.2) })
  }

  // MARK: planted violations

  @Test func `may not be crossed upwards`() {
    let core = ("PaymentModel", "Sources/Core/PaymentModel", Set(["PaymentEngine"]))
    let services = ("PaymentEngine", "Sources/Services/PaymentEngine", Set<String>())
    #expect(
      LayerRule.problems(in: targets(core, services))
        == ["PaymentModel (Core) must not reach PaymentEngine (Services)"])
  }

  @Test func `keep the server from the simulators, and services from sockets`() {
    let server = ("PaymentServer", "Sources/Interfaces/PaymentServer", Set(["AppStoreSimulator", "HTTPServer"]))
    let simulator = ("AppStoreSimulator", "Sources/Simulators/AppStoreSimulator", Set<String>())
    let sockets = ("HTTPServer", "Sources/Platform/HTTPServer", Set<String>())
    #expect(LayerRule.problems(in: targets(server, simulator, sockets)).count == 2)
  }

  @Test func `keep cryptography from the client`() {
    let client = ("Counterfoil", "Sources/Client/Counterfoil", Set(["HTTPMessages", "Cryptography"]))
    let wire = ("HTTPMessages", "Sources/Protocols/HTTPMessages", Set<String>())
    let keys = ("Cryptography", "Sources/Protocols/Cryptography", Set<String>())
    #expect(
      LayerRule.problems(in: targets(client, wire, keys))
        == ["Counterfoil (Client) must not reach Cryptography (Protocols)"])
  }

  @Test func `keep the platform and the programs from whole simulated systems`() {
    let kit = ("SimulationKit", "Sources/Simulators/SimulationKit", Set(["PaymentServer", "HTTPServer"]))
    let server = ("PaymentServer", "Sources/Interfaces/PaymentServer", Set<String>())
    let sockets = ("HTTPServer", "Sources/Platform/HTTPServer", Set<String>())
    #expect(
      LayerRule.problems(in: targets(kit, server, sockets))
        == ["SimulationKit (Simulators) must not reach HTTPServer (Platform)"])
  }

  @Test func `have each C library behind one module`() {
    let engine = ("PaymentEngine", "Sources/Services/PaymentEngine", Set(["CSQLite"]))
    #expect(
      LayerRule.problems(in: targets(engine)) == [
        "PaymentEngine must not reach CSQLite, which belongs to CFaultyDisk and SQLiteDatabase"
      ])
  }

  @Test func `have no module beside them`() {
    let stray = ("Stray", "Sources/Stray", Set<String>())
    #expect(LayerRule.problems(in: targets(stray)) == ["Stray lies in no layer: Sources/Stray"])
  }

  @Test func `notice a shim of Apple's frameworks in a product or a program, also through another module`() {
    let manifest = Manifest(
      targets: [
        .init(
          name: "StoreKit", path: "Sources/Simulators/AppleFrameworkShims/StoreKit", kind: "regular", dependencies: []),
        .init(name: "Adapter", path: "Sources/Client/Adapter", kind: "regular", dependencies: ["StoreKit"]),
        .init(name: "Tool", path: "Sources/Programs/Tool", kind: "executable", dependencies: ["Adapter"]),
        .init(name: "Trial", path: "Tests/Trial", kind: "executable", dependencies: ["Adapter"]),
      ], products: [.init(name: "Kit", isLibrary: true, targets: ["Adapter"])])
    #expect(
      LayerRule.carriedShims(in: manifest) == ["the product Kit carries StoreKit", "the program Tool carries StoreKit"])
  }

  @Test func `are read off what the package manager prints`() throws {
    let dump = #"""
      {"targets": [{"name": "A", "type": "regular", "path": "Sources/Core/A", "dependencies": [{"byName": ["B", null]},
      {"byName": ["C", {"platformNames": ["linux"]}]}]}, {"name": "T", "type": "test"}],
      "products": [{"name": "P", "targets": ["A"], "type": {"library": ["automatic"]}}]}
      """#
    let manifest = try Manifest(dump: Data(dump.utf8))
    #expect(manifest.dependencies == ["A": ["B", "C"], "T": []])
    #expect(manifest.targets.map(\.path) == ["Sources/Core/A", "Tests/T"])
    #expect(manifest.products.map(\.isLibrary) == [true])
    #expect(throws: (any Error).self) { try Manifest(dump: Data("{}".utf8)) }
  }

  // MARK: the tree

  @Test func `lead down in this package, and no product carries a shim`() throws {
    let manifest = try Manifest.ofThisPackage.get()
    #expect(manifest.targets.count > 50)
    #expect(LayerRule.problems(in: manifest) == [])
    #expect(LayerRule.carriedShims(in: manifest) == [])
  }

  @Test func `keep every simulator from the server's program`() throws {
    let manifest = try Manifest.ofThisPackage.get()
    let simulators = Set(manifest.targets.filter { LayerRule.layer(of: $0) == "Simulators" }.map(\.name))
    #expect(manifest.closure(of: ["CounterfoilProgram"]).isDisjoint(with: simulators.union(["CTaskHook"])))
    #expect(!manifest.closure(of: ["CounterfoilLabProgram"]).isDisjoint(with: simulators))
  }

  /// `COUNTERFOIL_WRITE_DOCS=1` writes it.
  @Test func `are drawn in ARCHITECTURE.md as they are`() throws {
    let drawing = LayerRule.drawing(of: try Manifest.ofThisPackage.get()).joined(separator: "\n")
    let page = try #require(Repository.file("ARCHITECTURE.md"))
    let start = try #require(page.text.firstRange(of: "<!-- layers -->\n```text\n")).upperBound
    let end = try #require(page.text[start...].firstRange(of: "\n```")).lowerBound
    if ProcessInfo.processInfo.environment["COUNTERFOIL_WRITE_DOCS"] != nil {
      let text = page.text[..<start] + drawing + page.text[end...]
      try String(text).write(to: Repository.root.appending(path: page.path), atomically: true, encoding: .utf8)
      return
    }
    #expect(String(page.text[start..<end]) == drawing, "make docs writes it")
  }
}
