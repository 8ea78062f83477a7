import Foundation
import Testing
import TidyRules

/// The client's own package, made from a small repository.
@Suite struct `The package of the client` {
  private let targets: [Manifest.Target] = [
    .init(name: "Core", path: "Sources/Core/Core"),
    .init(
      name: "Counterfoil", path: "Sources/Client/Counterfoil", dependencies: ["Core", "Shim"], conditional: ["Shim"]),
    .init(name: "Server", path: "Sources/Server", dependencies: ["Core", "CCurl"]),
    .init(name: "CCurl", path: "Sources/C/CCurl", kind: "system"),
    .init(name: "Shim", path: "Sources/Simulators/Shim"),
    .init(
      name: "CounterfoilTests", path: "Tests/CounterfoilTests", kind: "test",
      dependencies: ["Core", "Counterfoil", "TestTier"]),
    .init(name: "StrictJSONTests", path: "Tests/StrictJSONTests", kind: "test", dependencies: ["Core"]),
    .init(name: "TestDoubles", path: "Tests/TestDoubles", dependencies: ["Core"]),
    .init(name: "TestTier", path: "Tests/TestTier"),
  ]
  private let files = [
    "LICENSE": "free", "docs/apple/package.md": "# A", "docs/apple/package.zh-CN.md": "# 甲",
    "Sources/Programs/CounterfoilCLI/Program/Version.swift": "enum Version {\n  static let text = \"1.2.3\"\n}",
    "Sources/Core/Core/A.swift": "let a = 1", "Sources/Client/Counterfoil/Shop/B.swift": "let b = 1",
    "Sources/Client/Counterfoil/PrivacyInfo.xcprivacy": "<plist/>", "Sources/Server/C.swift": "let c = 1",
    "Sources/Simulators/Shim/D.swift": "let d = 1", "Tests/CounterfoilTests/E.swift": "let e = 1",
    "Clients/messages.json": "{}", "Examples/Counterfoil.xcstrings": "{}",
  ]

  private func package(_ targets: [Manifest.Target]) async throws -> (ClientPackage, URL) {
    let root = FileManager.default.temporaryDirectory.appending(path: "client-package-\(UUID().uuidString)/")
    for (path, text) in files {
      let place = root.appending(path: path)
      try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: place)
    }
    let products = [
      Manifest.Product(name: "Counterfoil", isLibrary: true, targets: ["Counterfoil"]),
      Manifest.Product(name: "counterfoil", isLibrary: false, targets: ["Server"]),
    ]
    let repository = await Repository.read(at: root, isParsed: false)
    return (try ClientPackage.make(from: repository, Manifest(targets: targets, products: products)), root)
  }

  @Test func `has the sources of the client products alone, and their tests`() async throws {
    let (package, root) = try await package(targets)
    defer { try? FileManager.default.removeItem(at: root) }
    #expect(
      package.copies.keys.sorted() == [
        "Clients/messages.json", "Examples/Counterfoil.xcstrings", "LICENSE", "README.md", "README.zh-CN.md",
        "Sources/Core/A.swift",
        "Sources/Counterfoil/PrivacyInfo.xcprivacy", "Sources/Counterfoil/Shop/B.swift",
        "Tests/CounterfoilTests/E.swift",
      ])
    #expect(
      package.texts.keys.sorted() == [".gitignore", "Counterfoil.podspec", "CounterfoilCore.podspec", "Package.swift"])
    let manifest = package.texts["Package.swift", default: ""]
    #expect(manifest.contains(".macOS(.v12)"))
    #expect(manifest.contains("module(\"Counterfoil\", [\"Core\"], privacy: privacy)"))
    #expect(!manifest.contains("Shim") && !manifest.contains("Server") && !manifest.contains("systemLibrary"))
    let podspec = package.texts["Counterfoil.podspec", default: ""]
    #expect(podspec.contains("s.version = '1.2.3'") && podspec.contains("s.dependency 'CounterfoilCore'"))
    #expect(podspec.contains("PrivacyInfo.xcprivacy") && podspec.contains("-package-name counterfoil"))
    #expect(package.texts["CounterfoilCore.podspec", default: ""].contains("PrivacyInfo") == false)
  }

  @Test func `replaces what an earlier version left, and keeps what was built`() async throws {
    let (package, root) = try await package(targets)
    defer { try? FileManager.default.removeItem(at: root) }
    let folder = root.appending(path: "out")
    try package.write(from: root, to: folder)
    for path in ["Sources/Old/A.swift", ".build/a", ".git/b"] {
      let place = folder.appending(path: path)
      try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: place)
    }
    try package.write(from: root, to: folder)
    let left = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    #expect(left.contains(".build/a") && left.contains(".git/b") && !left.contains("Sources/Old"))
    #expect(try String(contentsOf: folder.appending(path: "Sources/Core/A.swift"), encoding: .utf8) == "let a = 1")
  }

  @Test func `is refused when the client reaches a C library`() async throws {
    let reaching = targets.map { target in
      target.name != "Core"
        ? target : Manifest.Target(name: "Core", path: "Sources/Core/Core", dependencies: ["CCurl"])
    }
    await #expect(throws: (any Error).self) { _ = try await package(reaching) }
  }

  @Test func `names each file of which only Xcode compiles all`() {
    let file = SourceFile("Sources/Client/Counterfoil/A.swift", "#if canImport(ObjectiveC)\n#endif\n")
    #expect(ClientPackage.findings(in: SourceFile("a.md", "| `A.swift` |"), [file]) == [])
    #expect(ClientPackage.findings(in: SourceFile("a.md", "A.swift"), [file]).count == 1)
    let both = SourceFile("Sources/Client/Counterfoil/A.swift", "#if canImport(StoreKit)\n#endif\n// os(macOS)\n")
    #expect(ClientPackage.findings(in: SourceFile("a.md", ""), [both]) == [])
  }
}
