import Foundation
import TestSubprocess

/// The public symbols of a built module, as the toolchain's symbol graphs tell them.
struct SymbolGraph: Decodable {
  var symbols: [Symbol]
  var relationships: [Relationship]

  struct Symbol: Decodable {
    let kind: Kind
    let identifier: Identifier
    let pathComponents: [String]
    let docComment: DocComment?
    let declarationFragments: [Fragment]
    let availability: [Availability]?
    let location: Location?

    struct Kind: Decodable { let identifier: String }
    struct Identifier: Decodable { let precise: String }
    struct DocComment: Decodable { let module: String? }
    struct Fragment: Decodable {
      let spelling: String
      let preciseIdentifier: String?
    }
    struct Availability: Decodable {
      let domain: String?
      let introduced: Version?
      struct Version: Decodable {
        let major: Int
        let minor: Int?
      }
    }
    struct Location: Decodable { let uri: String }

    /// Whether somebody wrote it: what the compiler makes of a conformance has no place, or is marked.
    var isWritten: Bool { location != nil && !identifier.precise.contains("::SYNTHESIZED::") }
  }

  struct Relationship: Decodable {
    let kind: String
    let source: String
    let target: String
    let targetFallback: String?
  }

  /// The symbols of a module, those among them that it adds to types of others.
  static func of(_ module: String) throws -> SymbolGraph {
    let folder = FileManager.default.temporaryDirectory.appending(path: "symbols-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try extract(module, to: folder)
    var graph = SymbolGraph(symbols: [], relationships: [])
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
      let part = try JSONDecoder().decode(
        SymbolGraph.self, from: Data(contentsOf: folder.appending(path: name)))
      graph.symbols += part.symbols
      graph.relationships += part.relationships
    }
    return graph
  }

  /// Writes the symbol graphs of a module into a folder.
  static func extract(_ module: String, to folder: URL) throws {
    var arguments = [
      "-module-name", module, "-target", try target(), "-I", BuiltModules.folder.path, "-output-dir", folder.path,
      "-minimum-access-level", "public",
    ]
    for library in try Manifest.ofThisPackage.get().targets where library.kind == "system" {
      arguments += ["-I", Repository.root.appending(path: library.path).path]
    }
    try OtherProgram.run(try BuiltModules.tool("swift-symbolgraph-extract"), arguments)
  }

  /// The machine for which the toolchain builds when it is not told.
  private static func target() throws -> String {
    struct Info: Decodable {
      struct Target: Decodable { let triple: String }
      let target: Target
    }
    let compiler = try OtherProgram(try BuiltModules.tool("swiftc"), ["-print-target-info"])
    compiler.end()
    return try JSONDecoder().decode(Info.self, from: Data(compiler.output.utf8)).target.triple
  }
}
