package import Foundation

/// The client as a package of its own: the sources of the client products and of what they consist of, and their tests.
/// It has no server and no C library. `scripts/client-package` writes, builds and tests it.
package struct ClientPackage: Sendable {
  /// The path of each file in the package, with the path in this repository from which it is copied.
  package let copies: [String: String]
  /// The files that are written, by path.
  package let texts: [String: String]

  /// The tests that need nothing but these modules.
  private static let tests = ["CounterfoilTests", "StrictJSONTests"]
  /// What the tests use.
  private static let testSupport = ["TestDoubles", "TestTier"]
  /// What tests compare the texts with; an app adds the catalog to its own.
  private static let data = ["Clients/messages.json", "Examples/Counterfoil.xcstrings"]
  private static let versionFile = "Sources/Programs/CounterfoilCLI/Program/Version.swift"

  package static func make(from repository: Repository, _ manifest: Manifest) throws -> ClientPackage {
    let products = ClientProduct.all(in: manifest)
    let names = products.reduce(into: Set<String>()) { $0.formUnion($1.closure) }
    let known = Dictionary(uniqueKeysWithValues: manifest.targets.map { ($0.name, $0) })
    func targets(_ names: some Sequence<String>) throws -> [Manifest.Target] {
      try names.sorted().map { name in
        guard let target = known[name] else { throw Toolchain.Failure(description: "there is no target \(name)") }
        return target
      }
    }
    let modules = try targets(names)
    let others = try targets(tests + testSupport)
    if let other = modules.first(where: { $0.kind != "regular" || $0.path.hasPrefix("Sources/C/") }) {
      throw Toolchain.Failure(description: "the client reaches \(other.name), which is no module of Swift")
    }
    guard let version = version(in: try repository.file(versionFile).text) else {
      throw Toolchain.Failure(description: "\(versionFile) names no version")
    }
    let description = PackageDescription(
      version: version, products: products.map { ($0.name, $0.modules.sorted()) }, modules: modules,
      tests: others.filter { $0.kind == "test" }, support: others.filter { $0.kind != "test" },
      withPrivacy: Set(modules.filter { repository.paths.contains($0.path + "/PrivacyInfo.xcprivacy") }.map(\.name)))
    var copies = ["LICENSE": "LICENSE", "README.md": "docs/apple/package.md"]
    copies["README.zh-CN.md"] = "docs/apple/package.zh-CN.md"
    for path in data { copies[path] = path }
    for target in modules + others {
      let folder = others.contains { $0.name == target.name } ? "Tests" : "Sources"
      for path in repository.paths where path.hasPrefix(target.path + "/") {
        copies["\(folder)/\(target.name)/\(path.dropFirst(target.path.count + 1))"] = path
      }
    }
    return ClientPackage(copies: copies, texts: description.texts)
  }

  private static func version(in text: String) -> String? {
    let parts = text.split(separator: "\"")
    return parts.count == 3 ? String(parts[1]) : nil
  }

  /// Replaces what the folder has of an earlier time, except for what was built.
  package func write(from root: URL, to folder: URL) throws {
    let files = FileManager.default
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in try files.contentsOfDirectory(atPath: folder.path) where name != ".build" && name != ".git" {
      try files.removeItem(at: folder.appending(path: name))
    }
    for (path, source) in copies {
      try write(try Data(contentsOf: root.appending(path: source)), to: folder.appending(path: path))
    }
    for (path, text) in texts { try write(Data(text.utf8), to: folder.appending(path: path)) }
  }

  private func write(_ data: Data, to place: URL) throws {
    let folder = place.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try data.write(to: place)
  }
}

extension ClientPackage {
  static let pages = ["docs/apple/package.md", "docs/apple/package.zh-CN.md"]

  /// Conditions that Linux with its stand-ins never meets.
  private static let onlyInXcode = [
    "canImport(ObjectiveC)", "canImport(AppKit)", "canImport(Darwin)", "os(macOS)", "os(visionOS)", "os(watchOS)",
  ]

  /// The pages name each file of which Linux does not compile a part.
  package static func findings(in page: SourceFile, _ files: [SourceFile]) -> [Finding] {
    files.compactMap { file in
      let lines = file.lines.filter { $0.drop { $0 == " " }.hasPrefix("#") }
      let isPartial = lines.contains { line in
        onlyInXcode.contains { line.replacing("!" + $0, with: "").contains($0) }
      }
      guard isPartial else { return nil }
      let name = file.path.split(separator: "/").last.map(String.init) ?? file.path
      if page.text.has("`\(name)`") { return nil }
      return Finding(page, 1, "Linux does not compile all of \(name), and the table does not say so")
    }
  }
}
